"""What ``swift rlhf --external_plugins`` imports; alone in its folder, which ms-swift puts on the module path."""

import logratio.swift

logratio.swift.register()
