import { State } from '../../../components/state'

export default function Still() {
  return (
    <>
      <h1>Still</h1>
      <State />
    </>
  )
}
