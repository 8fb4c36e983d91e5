/** Values of a parameter, as the page has them. */
const SLUGS = ['/a b/', '%2Fa%2F', '+a+', '?a?', '&a&', '山小屋', ' a ', encodeURIComponent('山小屋')]

/** Listed by values and by paths. */
export const pathsOf = (name: string) => [
  ...SLUGS.map((slug) => ({ params: { slug } })),
  ...['%2Fb%2F', '%2Bb%2B', '%26b%26', `mixed-${encodeURIComponent('山小屋')}`].map(
    (segment) => `/prerender-fallback-encoding/${name}/${segment}`,
  ),
]

export const dataOfSlug = ({ params }: { params: { slug: string } }) => ({ props: { params } })
