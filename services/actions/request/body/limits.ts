// Limits of a body apart from its bytes (A3, A7): read-form.ts enforces the numbers, decode.ts depth and names. Each action
// has its own byte limit (site.ts), which shared/kit/http/read-body.ts enforces.

/** Form fields of one submission, including React's hidden fields. */
export const MAX_FIELDS = 1000
/** Files of one submission. */
export const MAX_FILES = 20
/** Levels of nested objects and lists. */
export const MAX_DEPTH = 32
/** Characters of a field name or of a JSON key. */
export const MAX_NAME_LENGTH = 200
