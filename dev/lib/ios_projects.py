# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""Checks the Xcode projects of the examples, Examples/NAME/ios, which no machine without Xcode can build.

    ios_projects.py            checks each; prints what is wrong, and fails then
    ios_projects.py --prove    also breaks each rule in a copy, and expects the rule to be named

The rules are those of XcodeGen's project specification, and of Apple's documentation of the keys of Info.plist, of the
entitlement aps-environment and of widget extensions.
"""

import pathlib
import plistlib
import re
import shutil
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]

#: Keys of Info.plist that the examples may have, and the type of each. Another key of Apple's is most likely misspelled.
KEYS = {
    "CFBundleDevelopmentRegion": str, "CFBundleDisplayName": str, "CFBundleExecutable": str, "CFBundleIdentifier": str,
    "CFBundleInfoDictionaryVersion": str, "CFBundleName": str, "CFBundlePackageType": str,
    "CFBundleShortVersionString": str, "CFBundleVersion": str, "LSRequiresIPhoneOS": bool, "NSExtension": dict,
    "NSAppTransportSecurity": dict, "NSSupportsLiveActivities": bool, "NSSupportsLiveActivitiesFrequentUpdates": bool,
    "UIApplicationSceneManifest": dict, "UIBackgroundModes": list, "UILaunchScreen": dict,
    "UISupportedInterfaceOrientations": list,
}
APPLES = re.compile("CF|LS|MK|NS|UI|WK")
REQUIRED = {
    "CFBundleExecutable": "$(EXECUTABLE_NAME)", "CFBundleIdentifier": "$(PRODUCT_BUNDLE_IDENTIFIER)",
    "CFBundlePackageType": "$(PRODUCT_BUNDLE_PACKAGE_TYPE)", "CFBundleShortVersionString": "$(MARKETING_VERSION)",
    "CFBundleVersion": "$(CURRENT_PROJECT_VERSION)",
}
MODES = {
    "audio", "bluetooth-central", "bluetooth-peripheral", "external-accessory", "fetch", "location", "nearby-interaction",
    "network-authentication", "processing", "push-to-talk", "remote-notification", "voip",
}
#: Settings that Xcode defines.
SETTINGS = {"DEVELOPMENT_LANGUAGE", "EXECUTABLE_NAME", "PRODUCT_BUNDLE_PACKAGE_TYPE"}
WIDGETS = "com.apple.widgetkit-extension"


class Target:
    """A target of a project: its settings, its property lists and its Swift files."""

    def __init__(self, project, name, members):
        self.project, self.name, self.members = project, name, members
        self.is_app = members.get("type") == "application"
        base = project.spec.get("settings", {}).get("base", {})
        self.settings = base | members.get("settings", {}).get("base", {})
        self.files = []
        for source in members.get("sources", []):
            directory = project.directory / source
            found = sorted(directory.rglob("*.swift")) if directory.is_dir() else []
            if not found:
                project.wrong(f"project.yml: {source} of the target {name} has no Swift file")
            self.files += found
        self.text = "\n".join(file.read_text() for file in self.files)
        self.info = self._plist("INFOPLIST_FILE", required=True)
        self.entitlements = self._plist("CODE_SIGN_ENTITLEMENTS", required=self.is_app)
        self.bundle = str(self.settings.get("PRODUCT_BUNDLE_IDENTIFIER", ""))

    def _plist(self, setting, required):
        path = self.settings.get(setting)
        if path is None:
            if required:
                self.project.wrong(f"project.yml: the target {self.name} has no setting {setting}")
            return {}
        file = self.project.directory / path
        if not file.is_file():
            self.project.wrong(f"project.yml: {setting} names {path}, which is not there")
            return {}
        self.project.named.add(file)
        try:
            return plistlib.loads(file.read_bytes())
        except Exception as error:
            self.project.wrong(f"{path}: no property list: {error}")
            return {}

    def wrong(self, text):
        self.project.wrong(f"{self.settings.get('INFOPLIST_FILE')}: {text}")

    def check(self):
        self._check_keys()
        mains = re.findall(r"^ *@main\b\s*(?:@\w+\s+)*\w+ +(\w+) *: *(\w+)", self.text, re.MULTILINE)
        expected = "App" if self.is_app else "WidgetBundle"
        if [kind for _, kind in mains] != [expected]:
            self.project.wrong(f"the target {self.name} needs one @main of the type {expected}, and has {mains}")
        if not re.fullmatch(r"[A-Za-z0-9.-]+", self.bundle):
            self.project.wrong(f"project.yml: {self.bundle!r} of the target {self.name} is no bundle ID")
        if self.is_app:
            self._check_app()
        else:
            self._check_widget()

    def _check_keys(self):
        for key, value in self.info.items():
            if key not in KEYS:
                if APPLES.match(key):
                    self.wrong(f"{key} is not among the keys that the examples need; is it misspelled?")
            elif not isinstance(value, KEYS[key]):
                self.wrong(f"{key} is a {type(value).__name__}; expected a {KEYS[key].__name__}")
            for setting in re.findall(r"\$\((\w+)\)", value) if isinstance(value, str) else []:
                if setting not in SETTINGS and setting not in self.settings:
                    self.wrong(f"{key} has $({setting}), which project.yml does not set")
        for key, value in REQUIRED.items():
            if self.info.get(key) != value:
                self.wrong(f"{key} is {self.info.get(key)!r}; expected {value!r}")

    def _check_app(self):
        environment = self.entitlements.get("aps-environment")
        if environment not in ("development", "production"):
            self.project.wrong(f"the entitlement aps-environment is {environment!r}; expected development or production")
        modes = self.info.get("UIBackgroundModes", [])
        if set(modes) - MODES:
            self.wrong(f"UIBackgroundModes has unknown values: {sorted(set(modes) - MODES)}")
        if "remote-notification" not in modes:
            self.wrong("UIBackgroundModes lacks remote-notification")
        if "NSExtension" in self.info:
            self.wrong("NSExtension belongs to an extension")
        shows = self.project.uses("ActivityKit") or "ActivityCoordinator" in self.text
        if shows and self.info.get("NSSupportsLiveActivities") is not True:
            self.wrong("NSSupportsLiveActivities has to be true in an app with Live Activities")
        if self.info.get("NSSupportsLiveActivitiesFrequentUpdates") and not self.info.get("NSSupportsLiveActivities"):
            self.wrong("NSSupportsLiveActivitiesFrequentUpdates needs NSSupportsLiveActivities")

    def _check_widget(self):
        for key in ("NSSupportsLiveActivities", "NSSupportsLiveActivitiesFrequentUpdates", "UIBackgroundModes"):
            if key in self.info:
                self.wrong(f"{key} belongs to the app, not to its extension")
        if "aps-environment" in self.entitlements:
            self.project.wrong("the entitlement aps-environment belongs to the app, not to its extension")
        extension = self.info.get("NSExtension", {})
        if extension != {"NSExtensionPointIdentifier": WIDGETS}:
            self.wrong(f"NSExtension is {extension}; expected NSExtensionPointIdentifier {WIDGETS} alone")
        app = self.project.app
        if app and not self.bundle.startswith(f"{app.bundle}."):
            self.project.wrong(f"project.yml: the bundle ID {self.bundle} has to begin with {app.bundle}.")
        if app and {"target": self.name} not in app.members.get("dependencies", []):
            self.project.wrong(f"project.yml: the app does not embed the target {self.name}")


class Project:
    """A directory with project.yml; `faults` has what is wrong."""

    def __init__(self, directory):
        self.directory, self.faults, self.named = directory, [], set()
        self.spec = yaml.safe_load((directory / "project.yml").read_text())
        members = self.spec.get("targets", {})
        self.targets = [Target(self, name, target) for name, target in members.items()]
        apps = [target for target in self.targets if target.is_app]
        self.app = apps[0] if len(apps) == 1 else None
        if not self.app:
            self.wrong(f"project.yml: expected one target of the type application, got {len(apps)}")
        for target in self.targets:
            if target.members.get("type") not in ("application", "app-extension") or target.members.get("platform") != "iOS":
                self.wrong(f"project.yml: the target {target.name} is no application or app-extension for iOS")
            self._check_dependencies(target)
            target.check()
        self._check_deployment()
        self._check_files()

    def wrong(self, text):
        self.faults.append(f"{self.directory}: {text}")

    def uses(self, module):
        return any(re.search(rf"^ *import {module}$", target.text, re.MULTILINE) for target in self.targets)

    def _check_dependencies(self, target):
        packages = self.spec.get("packages", {})
        for dependency in target.members.get("dependencies", []):
            package, other = dependency.get("package"), dependency.get("target")
            if other and other not in self.spec["targets"]:
                self.wrong(f"project.yml: {target.name} depends on the target {other}, which is not there")
            if not package:
                continue
            manifest = self.directory / packages.get(package, {}).get("path", "?") / "Package.swift"
            if not manifest.is_file():
                self.wrong(f"project.yml: the package {package} is not there")
            elif f'.library(name: "{dependency.get("product", package)}"' not in manifest.read_text():
                self.wrong(f"project.yml: the package {package} has no product {dependency.get('product', package)}")

    def _check_deployment(self):
        """iOS 16.1 has ActivityKit, and 16.2 the content with a stale date that ApusKit's coordinator uses."""
        version = str(self.spec.get("options", {}).get("deploymentTarget", {}).get("iOS", "0"))
        least = 16.2 if any("ActivityCoordinator" in target.text for target in self.targets) else 16.1
        if float(version) < least:
            self.wrong(f"project.yml: the deployment target is iOS {version}; expected at least {least}")

    def _check_files(self):
        used = {file for target in self.targets for file in target.files} | self.named
        for file in sorted(self.directory.rglob("*")):
            if file.suffix in (".swift", ".plist", ".entitlements") and file not in used:
                self.wrong(f"{file.relative_to(self.directory)} belongs to no target")
        for file in sorted({file for target in self.targets for file in target.files}):
            users = [target for target in self.targets if file in target.files]
            if re.search(r": *ActivityAttributes\b", file.read_text()) and len(users) != len(self.targets):
                self.wrong(f"{file.name}: the attributes of an activity belong to the app and to its extension")


#: What breaks a project: the file, an expression and its replacement there (None removes the file), and words of the fault.
BREACHES = [
    ("App/Info.plist", None, None, "names App/Info.plist, which is not there"),
    ("Shared/RidingAttributes.swift", None, None, "Shared of the target App has no Swift file"),
    ("project.yml", r"path: \.\./\.\./\.\./ApusKit", "path: ../ApusKit", "the package ApusKit is not there"),
    ("project.yml", r"- package: ApusKit", "- package: ApusKit\n        product: Kit", "no product Kit"),
    ("project.yml", r"      - target: Widget\n", "", "does not embed the target Widget"),
    ("project.yml", r"com\.example\.ride\.widgets", "com.example.widgets", "has to begin with com.example.ride."),
    ("project.yml", r'iOS: "16\.2"', 'iOS: "16.0"', "the deployment target is iOS 16.0"),
    ("project.yml", r"sources: \[Widget, Shared\]", "sources: [Widget]", "belong to the app and to its extension"),
    ("project.yml", r"sources: \[App, Shared\]", "sources: [Shared]", "App/RideApp.swift belongs to no target"),
    ("project.yml", r"        APUS_SERVER: .*\n", "", "$(APUS_SERVER), which project.yml does not set"),
    ("App/App.entitlements", "development", "sandbox", "aps-environment is 'sandbox'"),
    ("App/App.entitlements", "aps-environment", "aps-enviroment", "aps-environment is None"),
    ("App/Info.plist", "remote-notification", "remote-notifications", "unknown values: ['remote-notifications']"),
    ("App/Info.plist", "NSSupportsLiveActivities<", "NSSuppoortedLiveActivities<", "is it misspelled?"),
    ("App/Info.plist", r"(NSSupportsLiveActivities</key>\s*)<true/>", r"\1<false/>", "has to be true"),
    ("App/Info.plist", r"(NSSupportsLiveActivities</key>\s*)<true/>", r"\1<string>YES</string>", "expected a bool"),
    ("Widget/Info.plist", "<key>NSExtension</key>", "<key>NSSupportsLiveActivities</key><true/>\\g<0>", "belongs to the app"),
    ("Widget/Info.plist", "widgetkit-extension", "widget-extension", "expected NSExtensionPointIdentifier"),
    ("Widget/Info.plist", r"\$\(MARKETING_VERSION\)", "2.0", "CFBundleShortVersionString is '2.0'"),
    ("Widget/RideWidgets.swift", "@main", "", "needs one @main of the type WidgetBundle"),
    ("App/ContentView.swift", "struct ContentView", "@main struct Other: App {}\n\\g<0>", "needs one @main of the type App"),
]


def prove():
    """Breaks each rule in a copy of the example `ride`; returns what was not found."""
    missed = []
    for number, (name, old, new, words) in enumerate(BREACHES):
        with tempfile.TemporaryDirectory() as directory:
            copy = pathlib.Path(directory) / "Examples" / "ride" / "ios"
            shutil.copytree(ROOT / "Examples" / "ride" / "ios", copy)
            (pathlib.Path(directory) / "ApusKit").mkdir()
            shutil.copy(ROOT / "ApusKit" / "Package.swift", pathlib.Path(directory) / "ApusKit")
            unbroken = Project(copy).faults
            if old is None:
                (copy / name).unlink()
            else:
                text, count = re.subn(old, new, (copy / name).read_text(), count=1)
                assert count == 1, f"{name} has no {old!r}"
                (copy / name).write_text(text)
            faults = Project(copy).faults
            if unbroken or not any(words in fault for fault in faults):
                missed.append(f"breach {number + 1} of {name}: expected {words!r}, got {unbroken + faults}")
    return missed


def main():
    projects = sorted(file.parent for file in ROOT.glob("Examples/*/ios/project.yml"))
    faults = [] if projects else ["no example has an Xcode project"]
    for directory in ROOT.glob("Examples/*/ios"):
        if directory not in projects:
            faults.append(f"{directory}: there is no project.yml")
    for directory in projects:
        faults += Project(directory).faults
    proven = ""
    if "--prove" in sys.argv:
        faults += prove()
        proven = f"; {len(BREACHES)} breaches of their rules are found"
    print(*faults, sep="\n", end="\n" if faults else "")
    if faults:
        sys.exit(1)
    print(f"{len(projects)} Xcode projects of the examples hold their rules{proven}")


if __name__ == "__main__":
    main()
