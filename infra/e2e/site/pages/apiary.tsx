// A page whose path only begins like /api (N4).

export default function Apiary() {
  return (
    <>
      <title>Apiary · Fixture</title>
      <h1>Apiary</h1>
    </>
  )
}
