import { State } from '../../components/state'

export default function Heading() {
  return (
    <>
      <h1>A heading alone</h1>
      <State />
    </>
  )
}
