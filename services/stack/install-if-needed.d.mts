// Types of install-if-needed.mjs, which is plain JavaScript because it runs before the packages are installed.

export function installIfNeeded(root: string): string
export function reasonToInstall(root: string): string | undefined
