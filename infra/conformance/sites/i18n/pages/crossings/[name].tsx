import { type Context, LinkedPage } from '../../components/linked-page'

interface NamedContext extends Context {
  params: { name: string }
}

export const getStaticPaths = async ({ locales }: Context) => ({
  paths: locales.map((locale) => ({ params: { name: 'noon' }, locale })),
  fallback: true,
})

export const getStaticProps = async ({ locale, locales, defaultLocale, params }: NamedContext) => {
  // Portico sends a page that is ready before its shell.
  if (params.name.startsWith('late-')) await new Promise((done) => setTimeout(done, 1000))
  return { props: { locale, locales, defaultLocale, params } }
}

export default LinkedPage
