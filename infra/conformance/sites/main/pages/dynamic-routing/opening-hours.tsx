export default function OpeningHours() {
  return <h1>Opening hours</h1>
}
