// JSON inside of a script element.

/** SECURITY: no value can end the script element or open a comment in it (D7). */
export function escapeJson(json: string): string {
  return ENDS_ELEMENT.test(json) ? json.replace(/[<\u2028\u2029]/g, escapeCharacter) : json
}

const ENDS_ELEMENT = /[<\u2028\u2029]/

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
