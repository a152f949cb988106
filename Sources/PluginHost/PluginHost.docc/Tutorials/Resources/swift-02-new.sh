pluginhost new Numbers --app-api "$PLUGINHOST/Examples/DemoAPI" --product DemoAPI
cd Numbers
