import {
  Listbox,
  ListboxButton,
  ListboxOption,
  ListboxOptions,
  Menu,
  MenuButton,
  MenuItem,
  MenuItems,
} from '@headlessui/react'
import { Link } from 'portico'
import { useState } from 'react'

const WOODS = ['Oak', 'Pine', 'Birch']

export function ProductMenu() {
  const [wood, setWood] = useState(WOODS[0])
  return (
    <>
      <Menu>
        <MenuButton>Pages</MenuButton>
        <MenuItems anchor="bottom" className="bg-white">
          <MenuItem>
            <Link href="/orders">Orders</Link>
          </MenuItem>
        </MenuItems>
      </Menu>
      <Listbox value={wood} onChange={setWood}>
        <ListboxButton>Wood: {wood}</ListboxButton>
        <ListboxOptions anchor="bottom" className="bg-white">
          {WOODS.map((name) => (
            <ListboxOption key={name} value={name}>
              {name}
            </ListboxOption>
          ))}
        </ListboxOptions>
      </Listbox>
    </>
  )
}
