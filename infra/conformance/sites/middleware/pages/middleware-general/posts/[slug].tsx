import { State } from '../../../components/state'

export const getServerSideProps = ({ params }: { params: object }) => ({ props: { params } })

export default function Post(props: object) {
  return (
    <main>
      <h1>Post</h1>
      <State props={props} />
    </main>
  )
}
