import { State } from '../../../components/state'

export const getStaticPaths = () => ({ paths: [{ params: { slug: 'one' } }], fallback: false })

export const getStaticProps = ({ params }: { params: object }) => ({ props: { params } })

export default function Known(props: object) {
  return (
    <main>
      <h1>Known</h1>
      <State props={props} />
    </main>
  )
}
