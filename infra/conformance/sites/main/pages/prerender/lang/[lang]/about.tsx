import { State } from '../../../../components/state'

export const getStaticPaths = () => ({
  paths: ['en', 'fi'].map((lang) => `/prerender/lang/${lang}/about`),
  fallback: false,
})

export const getStaticProps = ({ params }: { params: { lang: string } }) => ({ props: { lang: params.lang } })

export default function About({ lang }: { lang: string }) {
  return <State props={{ lang }} />
}
