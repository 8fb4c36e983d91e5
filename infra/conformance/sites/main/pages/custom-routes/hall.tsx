import { State } from '../../components/state'

export const getServerSideProps = async ({ query }) => ({ props: { query } })

export default function Hall(props) {
  return (
    <>
      <h1>Hall</h1>
      <State props={props} />
    </>
  )
}
