// What a body may hold beside its bytes (A3, A7); the byte limit itself comes with each action.

/** Form fields of one submission, React's hidden ones included. */
export const MAX_FIELDS = 1000
/** Files of one submission. */
export const MAX_FILES = 20
/** Objects and lists inside one another. */
export const MAX_DEPTH = 32
/** Characters of a field name or of a JSON key. */
export const MAX_NAME_LENGTH = 200
