#include "plugin_templates.h"

// The folders are those of Tools/Templates. plugin_abi.h comes from the library; every project in C or C++ gets a copy.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char file_0[] = {
#embed "../../Templates/common/gitignore"
};
static const unsigned char file_1[] = {
#embed "../../Templates/common/Resources/de.lproj/InfoPlist.strings"
};
static const unsigned char file_2[] = {
#embed "../../Templates/common/Resources/de.lproj/Localizable.strings"
};
static const unsigned char file_3[] = {
#embed "../../Templates/common/Resources/de.lproj/Providers.strings"
};
static const unsigned char file_4[] = {
#embed "../../Templates/common/Resources/en.lproj/InfoPlist.strings"
};
static const unsigned char file_5[] = {
#embed "../../Templates/common/Resources/en.lproj/Localizable.strings"
};
static const unsigned char file_6[] = {
#embed "../../Templates/common/Resources/en.lproj/Providers.strings"
};
static const unsigned char file_7[] = {
#embed "../../Templates/swift/Info.plist"
};
static const unsigned char file_8[] = {
#embed "../../Templates/swift/Package.swift"
};
static const unsigned char file_9[] = {
#embed "../../Templates/swift/README.md"
};
static const unsigned char file_10[] = {
#embed "../../Templates/swift/Sources/__NAME__/__NAME__.swift"
};
static const unsigned char file_11[] = {
#embed "../../Templates/swift/Tests/__NAME__Tests/__NAME__Tests.swift"
};
static const unsigned char file_12[] = {
#embed "../../Templates/native/Info.plist"
};
static const unsigned char file_13[] = {
#embed "../../Templates/native/Makefile"
};
static const unsigned char file_14[] = {
#embed "../../Templates/native/README.md"
};
static const unsigned char file_15[] = {
#embed "../../Templates/native/Sources/__NAME__.h"
};
static const unsigned char file_16[] = {
#embed "../../Templates/native/Tests/__NAME__Tests.c"
};
static const unsigned char file_17[] = {
#embed "../../Templates/c/compile.mk"
};
static const unsigned char file_18[] = {
#embed "../../Templates/c/Sources/__NAME__.c"
};
static const unsigned char file_19[] = {
#embed "../../Templates/c++/compile.mk"
};
static const unsigned char file_20[] = {
#embed "../../Templates/c++/Sources/__NAME__.cpp"
};
static const unsigned char file_21[] = {
#embed "../../Templates/swift-without-kit/Package.swift"
};
static const unsigned char file_22[] = {
#embed "../../Templates/swift-without-kit/Tests/__NAME__Tests/__NAME__Tests.swift"
};
static const unsigned char abi[] = {
#embed "../../../Sources/CPluginSupport/include/plugin_abi.h"
};

static const plugin_template plugin_templates[] = {
    {"common", ".gitignore", file_0, sizeof file_0},
    {"common", "Resources/de.lproj/InfoPlist.strings", file_1, sizeof file_1},
    {"common", "Resources/de.lproj/Localizable.strings", file_2, sizeof file_2},
    {"common", "Resources/de.lproj/Providers.strings", file_3, sizeof file_3},
    {"common", "Resources/en.lproj/InfoPlist.strings", file_4, sizeof file_4},
    {"common", "Resources/en.lproj/Localizable.strings", file_5, sizeof file_5},
    {"common", "Resources/en.lproj/Providers.strings", file_6, sizeof file_6},
    {"swift", "Info.plist", file_7, sizeof file_7},
    {"swift", "Package.swift", file_8, sizeof file_8},
    {"swift", "README.md", file_9, sizeof file_9},
    {"swift", "Sources/__NAME__/__NAME__.swift", file_10, sizeof file_10},
    {"swift", "Tests/__NAME__Tests/__NAME__Tests.swift", file_11, sizeof file_11},
    {"native", "Info.plist", file_12, sizeof file_12},
    {"native", "Makefile", file_13, sizeof file_13},
    {"native", "README.md", file_14, sizeof file_14},
    {"native", "Sources/__NAME__.h", file_15, sizeof file_15},
    {"native", "Tests/__NAME__Tests.c", file_16, sizeof file_16},
    {"c", "compile.mk", file_17, sizeof file_17},
    {"c", "Sources/__NAME__.c", file_18, sizeof file_18},
    {"c++", "compile.mk", file_19, sizeof file_19},
    {"c++", "Sources/__NAME__.cpp", file_20, sizeof file_20},
    {"swift-without-kit", "Package.swift", file_21, sizeof file_21},
    {"swift-without-kit", "Tests/__NAME__Tests/__NAME__Tests.swift", file_22, sizeof file_22},
    {"native", "include/plugin_abi.h", abi, sizeof abi},
};
const plugin_template *plugin_templates_first(void) { return plugin_templates; }
const size_t plugin_templates_count = sizeof plugin_templates / sizeof plugin_templates[0];
