// Types of find-node.mjs, which is plain JavaScript because Node 20 runs it.

export function findNode(root: string, version?: string): string | undefined
export function missingNodeText(): string
