rm -r Resources/fr.lproj Resources/ja.lproj
rm Resources/Ending.xib Resources/NibClasses.plist
swift test
