#include "plugin_templates.h"

// The folders are those of Tools/Templates. plugin_abi.h and plugin.hpp come from the library; every project in C or C++
// gets a copy of the first, and a project in C++ of both.
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
static const unsigned char file_23[] = {
#embed "../../Templates/application/Package.swift"
};
static const unsigned char file_24[] = {
#embed "../../Templates/application/Plugins/Signature/Info.plist"
};
static const unsigned char file_25[] = {
#embed "../../Templates/application/Plugins/Signature/Resources/de.lproj/InfoPlist.strings"
};
static const unsigned char file_26[] = {
#embed "../../Templates/application/Plugins/Signature/Resources/de.lproj/Localizable.strings"
};
static const unsigned char file_27[] = {
#embed "../../Templates/application/Plugins/Signature/Resources/de.lproj/Providers.strings"
};
static const unsigned char file_28[] = {
#embed "../../Templates/application/Plugins/Signature/Resources/en.lproj/InfoPlist.strings"
};
static const unsigned char file_29[] = {
#embed "../../Templates/application/Plugins/Signature/Resources/en.lproj/Localizable.strings"
};
static const unsigned char file_30[] = {
#embed "../../Templates/application/Plugins/Signature/Resources/en.lproj/Providers.strings"
};
static const unsigned char file_31[] = {
#embed "../../Templates/application/Plugins/Signature/Sources/Signature.swift"
};
static const unsigned char file_32[] = {
#embed "../../Templates/application/README.md"
};
static const unsigned char file_33[] = {
#embed "../../Templates/application/Sources/__PROGRAM__/Options.swift"
};
static const unsigned char file_34[] = {
#embed "../../Templates/application/Sources/__PROGRAM__/Program.swift"
};
static const unsigned char file_35[] = {
#embed "../../Templates/application/Sources/__PROGRAM__/Resources/de.lproj/Localizable.strings"
};
static const unsigned char file_36[] = {
#embed "../../Templates/application/Sources/__PROGRAM__/Resources/en.lproj/Localizable.strings"
};
static const unsigned char file_37[] = {
#embed "../../Templates/application/Sources/__PROGRAM__/Sandbox.swift"
};
static const unsigned char file_38[] = {
#embed "../../Templates/application/Sources/__PROGRAM__/Texts.swift"
};
static const unsigned char file_39[] = {
#embed "../../Templates/application/Tests/__NAME__Tests/__NAME__Tests.swift"
};
static const unsigned char file_40[] = {
#embed "../../Templates/application/__NAME__API/Package.swift"
};
static const unsigned char file_41[] = {
#embed "../../Templates/application/__NAME__API/PluginTemplate/swift/Info.plist"
};
static const unsigned char file_42[] = {
#embed "../../Templates/application/__NAME__API/PluginTemplate/swift/Resources/de.lproj/Localizable.strings"
};
static const unsigned char file_43[] = {
#embed "../../Templates/application/__NAME__API/PluginTemplate/swift/Resources/de.lproj/Providers.strings"
};
static const unsigned char file_44[] = {
#embed "../../Templates/application/__NAME__API/PluginTemplate/swift/Resources/en.lproj/Localizable.strings"
};
static const unsigned char file_45[] = {
#embed "../../Templates/application/__NAME__API/PluginTemplate/swift/Resources/en.lproj/Providers.strings"
};
static const unsigned char file_46[] = {
#embed "../../Templates/application/__NAME__API/PluginTemplate/swift/Sources/__PLUGIN_NAME__/__PLUGIN_NAME__.swift"
};
static const unsigned char file_47[] = {
#embed "../../Templates/application/__NAME__API/PluginTemplate/swift/Tests/__PLUGIN_NAME__Tests/__PLUGIN_NAME__Tests.swift"
};
static const unsigned char file_48[] = {
#embed "../../Templates/application/__NAME__API/Sources/__NAME__API/Proxies.swift"
};
static const unsigned char file_49[] = {
#embed "../../Templates/application/__NAME__API/Sources/__NAME__API/TextFilter.swift"
};
static const unsigned char file_50[] = {
#embed "../../Templates/application/gitignore"
};
static const unsigned char file_51[] = {
#embed "../../Templates/settings/Resources/Settings.bundle/Root.plist"
};
static const unsigned char file_52[] = {
#embed "../../Templates/settings/Resources/Settings.bundle/de.lproj/Root.strings"
};
static const unsigned char file_53[] = {
#embed "../../Templates/settings/Resources/Settings.bundle/en.lproj/Root.strings"
};
static const unsigned char abi[] = {
#embed "../../../Sources/CPluginSupport/include/plugin_abi.h"
};
static const unsigned char hpp[] = {
#embed "../../../Sources/CPluginSupport/include/plugin.hpp"
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
    {"application", "Package.swift", file_23, sizeof file_23},
    {"application", "Plugins/Signature/Info.plist", file_24, sizeof file_24},
    {"application", "Plugins/Signature/Resources/de.lproj/InfoPlist.strings", file_25, sizeof file_25},
    {"application", "Plugins/Signature/Resources/de.lproj/Localizable.strings", file_26, sizeof file_26},
    {"application", "Plugins/Signature/Resources/de.lproj/Providers.strings", file_27, sizeof file_27},
    {"application", "Plugins/Signature/Resources/en.lproj/InfoPlist.strings", file_28, sizeof file_28},
    {"application", "Plugins/Signature/Resources/en.lproj/Localizable.strings", file_29, sizeof file_29},
    {"application", "Plugins/Signature/Resources/en.lproj/Providers.strings", file_30, sizeof file_30},
    {"application", "Plugins/Signature/Sources/Signature.swift", file_31, sizeof file_31},
    {"application", "README.md", file_32, sizeof file_32},
    {"application", "Sources/__PROGRAM__/Options.swift", file_33, sizeof file_33},
    {"application", "Sources/__PROGRAM__/Program.swift", file_34, sizeof file_34},
    {"application", "Sources/__PROGRAM__/Resources/de.lproj/Localizable.strings", file_35, sizeof file_35},
    {"application", "Sources/__PROGRAM__/Resources/en.lproj/Localizable.strings", file_36, sizeof file_36},
    {"application", "Sources/__PROGRAM__/Sandbox.swift", file_37, sizeof file_37},
    {"application", "Sources/__PROGRAM__/Texts.swift", file_38, sizeof file_38},
    {"application", "Tests/__NAME__Tests/__NAME__Tests.swift", file_39, sizeof file_39},
    {"application", "__NAME__API/Package.swift", file_40, sizeof file_40},
    {"application", "__NAME__API/PluginTemplate/swift/Info.plist", file_41, sizeof file_41},
    {"application", "__NAME__API/PluginTemplate/swift/Resources/de.lproj/Localizable.strings", file_42, sizeof file_42},
    {"application", "__NAME__API/PluginTemplate/swift/Resources/de.lproj/Providers.strings", file_43, sizeof file_43},
    {"application", "__NAME__API/PluginTemplate/swift/Resources/en.lproj/Localizable.strings", file_44, sizeof file_44},
    {"application", "__NAME__API/PluginTemplate/swift/Resources/en.lproj/Providers.strings", file_45, sizeof file_45},
    {"application", "__NAME__API/PluginTemplate/swift/Sources/__PLUGIN_NAME__/__PLUGIN_NAME__.swift",
        file_46, sizeof file_46},
    {"application", "__NAME__API/PluginTemplate/swift/Tests/__PLUGIN_NAME__Tests/__PLUGIN_NAME__Tests.swift",
        file_47, sizeof file_47},
    {"application", "__NAME__API/Sources/__NAME__API/Proxies.swift", file_48, sizeof file_48},
    {"application", "__NAME__API/Sources/__NAME__API/TextFilter.swift", file_49, sizeof file_49},
    {"application", ".gitignore", file_50, sizeof file_50},
    {"settings", "Resources/Settings.bundle/Root.plist", file_51, sizeof file_51},
    {"settings", "Resources/Settings.bundle/de.lproj/Root.strings", file_52, sizeof file_52},
    {"settings", "Resources/Settings.bundle/en.lproj/Root.strings", file_53, sizeof file_53},
    {"native", "include/plugin_abi.h", abi, sizeof abi},
    {"c++", "include/plugin.hpp", hpp, sizeof hpp},
};
const plugin_template *plugin_templates_first(void) { return plugin_templates; }
const size_t plugin_templates_count = sizeof plugin_templates / sizeof plugin_templates[0];
