// In place of react/root-element.ts: styles and libraries of a site of Next.js select this id (X2).

export const ROOT_ELEMENT_ID = '__next'
