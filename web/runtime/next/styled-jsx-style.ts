// `styled-jsx/style`: the component of styles in modules that are compiled.

export { Style as default } from './styled-jsx.tsx'
