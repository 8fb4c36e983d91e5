import { State } from '../../components/state'

export const getServerSideProps = ({ req }: { req: { headers: object } }) => ({
  props: { headers: { ...req.headers } },
})

export default function Page(props: object) {
  return (
    <main>
      <h1>Headers</h1>
      <State props={props} />
    </main>
  )
}
