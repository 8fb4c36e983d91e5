/** React writes members to the element that it hydrates. */
const isHydrated = Object.keys(document.getElementById('__next') ?? {}).length > 0
Object.assign(window, { instrumented: isHydrated ? 'after hydration' : 'before hydration' })
