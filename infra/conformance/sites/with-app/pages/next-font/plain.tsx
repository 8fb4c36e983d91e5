export default function Plain() {
  return <h1>Without a font</h1>
}
