export default function Failed() {
  return <h1>Storm warning</h1>
}
