"""What ``swift rlhf --external_plugins`` imports; alone in its folder, as ms-swift puts it on the module path."""

import logratio.swift

logratio.swift.register()
