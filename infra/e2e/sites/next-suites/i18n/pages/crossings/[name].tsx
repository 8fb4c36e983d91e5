import { type Context, LinkedPage } from '../../components/linked-page'

export const getStaticPaths = async ({ locales }: Context) => ({
  paths: locales.map((locale) => ({ params: { name: 'noon' }, locale })),
  fallback: true,
})

export const getStaticProps = async ({ locale, locales, defaultLocale, params }: Context) => ({
  props: { locale, locales, defaultLocale, params },
})

export default LinkedPage
