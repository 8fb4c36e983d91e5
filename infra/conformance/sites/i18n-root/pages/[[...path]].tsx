import type { GetStaticPaths, GetStaticProps } from 'next'
import Link from 'next/link'
import { useRouter } from 'next/router'

export const getStaticPaths: GetStaticPaths = () => ({
  paths: [
    { params: { path: [] }, locale: 'en-US' },
    { params: { path: undefined }, locale: 'fr' },
  ],
  fallback: 'blocking',
})

export const getStaticProps: GetStaticProps = ({ locale, locales, defaultLocale, params }) => ({
  props: { locale, locales, defaultLocale, params: params ?? null },
})

/** Shows its state as the component of the other sites. */
export default function Any(props: object) {
  const { pathname, asPath, query, locale, locales, defaultLocale } = useRouter()
  return (
    <>
      <pre id="state">{JSON.stringify({ pathname, asPath, query, props, locale, locales, defaultLocale })}</pre>
      {['en-US', 'nl-NL', 'fr'].flatMap((to) =>
        ['', 'lock'].map((path) => (
          <Link key={to + path} id={`to-${to}-${path}`} href={`/${path}`} locale={to}>
            {path} {to}
          </Link>
        )),
      )}
    </>
  )
}
