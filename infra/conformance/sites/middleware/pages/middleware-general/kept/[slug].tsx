import { State } from '../../../components/state'

export const getStaticPaths = () => ({ paths: [], fallback: 'blocking' })

export const getStaticProps = ({ params }: { params: { slug: string } }) =>
  params.slug.startsWith('missing') ? { notFound: true } : { props: { params } }

export default function Kept(props: object) {
  return (
    <main>
      <h1>Kept</h1>
      <State props={props} />
    </main>
  )
}
