// The front matter of a page: title, description, the group in which the page is listed, and its place in the group.

/** In the order in which people need them. */
export const DOC_GROUPS = [
  'Start',
  'Build a site',
  'Data and forms',
  'Images',
  'From Next',
  'Operate',
  'Reference',
  'Decisions',
] as const
export type DocGroup = (typeof DOC_GROUPS)[number]

export interface FrontMatter {
  title: string
  description: string
  group: DocGroup
  order: number
  /** Name of the drawing below the title. */
  figure: string | null
}

/** Checks the attributes of a page. Throws an error that names page, field, value and rule. */
export function parseFrontMatter(file: string, attributes: Readonly<Record<string, unknown>>): FrontMatter {
  const text = (field: string) => {
    const value = attributes[field]
    if (typeof value !== 'string' || value === '') throw faultOf(file, field, value, 'must be a text')
    return value
  }
  const group = DOC_GROUPS.find((each) => each === attributes.group)
  if (group === undefined)
    throw faultOf(file, 'group', attributes.group, `is not allowed; allowed groups: ${DOC_GROUPS.join(', ')}`)
  const { order, figure } = attributes
  if (typeof order !== 'number') throw faultOf(file, 'order', order, 'must be a number')
  return {
    title: text('title'),
    description: text('description'),
    group,
    order,
    figure: typeof figure === 'string' ? figure : null,
  }
}

function faultOf(file: string, field: string, value: unknown, rule: string): Error {
  return new Error(`${file}: ${field} ${JSON.stringify(value) ?? 'without a value'} ${rule}`)
}

/** Sorts by group, then by the order within the group. */
export function compareFrontMatter(left: FrontMatter, right: FrontMatter): number {
  return DOC_GROUPS.indexOf(left.group) - DOC_GROUPS.indexOf(right.group) || left.order - right.order
}
