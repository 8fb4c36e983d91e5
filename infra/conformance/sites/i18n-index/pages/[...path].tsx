import type { GetStaticPaths, GetStaticProps } from 'next'
import { useRouter } from 'next/router'

export const getStaticPaths: GetStaticPaths = ({ locales = [] }) => ({
  paths: locales.flatMap((locale) => [['probe'], ['harbour', 'office']].map((path) => ({ params: { path }, locale }))),
  fallback: false,
})

export const getStaticProps: GetStaticProps = ({ locale, params }) => ({ props: { locale, params } })

/** Shows its state as the component of the other sites. */
export default function Any(props: object) {
  const { pathname, asPath, query, locale, locales, defaultLocale } = useRouter()
  return <pre id="state">{JSON.stringify({ pathname, asPath, query, props, locale, locales, defaultLocale })}</pre>
}
