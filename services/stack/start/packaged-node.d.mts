// Types of packaged-node.mjs, which is plain JavaScript because it runs on the machine's own Node.

export const NODE_PACKAGES: Readonly<Record<string, string>>
export function packagedNode(root: string): string
