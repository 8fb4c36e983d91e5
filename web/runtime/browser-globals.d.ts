// The one name of Node that browser code may read: builds replace `process.env.NODE_ENV` by its value.

declare const process: {
  readonly env: {
    readonly NODE_ENV: string
    readonly PORTICO_I18N?: string
    readonly PORTICO_REWRITES?: string
    readonly PORTICO_ERRORS?: string
  }
}
