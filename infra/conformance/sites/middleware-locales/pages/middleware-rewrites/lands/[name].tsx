import { State } from '../../../components/state'

export const getStaticPaths = () => ({ paths: [], fallback: 'blocking' })

export const getStaticProps = ({ params, locale }: { params: object; locale: string }) => ({
  props: { params, locale },
})

export default function Page(props: object) {
  return <State props={props} />
}
