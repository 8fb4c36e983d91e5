// The form of one environment variable in the list of settings (settings.ts).

export interface Setting {
  /** The rule for a value, in words. */
  rule: string
  /** The default, as the variable would have it. */
  fallback?: string
  /** In words: a default that depends on the machine or on other settings. */
  fallbackRule?: string
  help: string
  services: readonly ('gateway' | 'renderer' | 'images' | 'actions' | 'stack')[]
}

/** The services behind one site, without the stack that starts them. */
export const ALL_SERVICES = ['gateway', 'renderer', 'images', 'actions'] as const
