export default function Of() {
  return <>A fragment</>
}
