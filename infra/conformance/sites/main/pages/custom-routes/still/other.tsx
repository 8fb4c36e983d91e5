import { State } from '../../../components/state'

export default function OtherStill() {
  return (
    <>
      <h1>Other still</h1>
      <State />
    </>
  )
}
