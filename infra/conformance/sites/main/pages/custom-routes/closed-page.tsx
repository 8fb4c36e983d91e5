export default function Closed() {
  return <h1>Closed</h1>
}
