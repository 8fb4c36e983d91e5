// Titles of the error screens (table of section E), for services and browser.

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'This page could not be found',
  405: 'Method Not Allowed',
  500: 'Internal Server Error',
}

/** Title of every status that is not in the table. */
const UNEXPECTED_TITLE = 'An unexpected error has occurred'
/** E1. */
export const NOT_FOUND_TEXT = 'This page could not be found.'

/** The title that screens and JSON show for a status. */
export function errorTitle(status: number): string {
  return TITLES[status] ?? UNEXPECTED_TITLE
}
