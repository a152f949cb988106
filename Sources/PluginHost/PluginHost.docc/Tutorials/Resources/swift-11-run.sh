export DEMO_HOST_PLUGIN_PATH="$PWD:$PLUGINHOST/build/Plugins"
printf 'one\n\nthree\n' > text.txt
LANGUAGE=en demo-host --pipeline line-numbers,html --output page.html text.txt
grep -o "1.*one.*3.*three" page.html
