import { type Context, LinkedPage } from '../../components/linked-page'

export const getStaticPaths = async () => ({
  paths: [{ params: { name: 'day' } }, '/nl-NL/lines/night', { params: { name: 'dawn' }, locale: 'fr' }],
  fallback: false,
})

export const getStaticProps = async ({ locale, locales, defaultLocale, params }: Context) => ({
  props: { locale, locales, defaultLocale, params },
})

export default LinkedPage
