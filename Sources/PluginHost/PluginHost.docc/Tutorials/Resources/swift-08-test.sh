rm -r Resources/fr.lproj Resources/ja.lproj
swift test
