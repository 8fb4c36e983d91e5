export default function Heavy({ name }: { name: string }) {
  return <p className="heavy">heavy {name}</p>
}

export function Named() {
  return <p id="named">named</p>
}
