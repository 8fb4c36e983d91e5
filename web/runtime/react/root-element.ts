// The id of the element that React renders a page into. Sites of Next.js have next/root-element.ts in place of this file.

export const ROOT_ELEMENT_ID = 'portico'
