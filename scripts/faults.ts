import ts from 'typescript'

/** What `mutate.ts` draws from: a fault is known by its index. */
export const faults: { file: string; text: string }[] = []

/** Returns what can stand in the place of a node. */
function faultsOf(node: ts.Node): (string | undefined)[] {
  const [text, source, { parent }] = [node.getText(), node.getSourceFile().text, node]
  if (ts.isExpressionStatement(node)) return /^(?!super).*\)$/s.test(text) ? [''] : []
  const isDefault = /(\?\?|\|\||[^=!<>]=)\s*$/.test(source.slice(0, node.getStart()))
  if (isDefault && /^('.*'|true|[1-9]\d*)$/.test(text)) return [text[0] === "'" ? `'?'` : '0']
  if (isDefault && /^(false|0)$/.test(text)) return ['1']
  const isGuard = ts.isIfStatement(parent) && parent.expression === node && !parent.elseStatement
  const leaves = isGuard && /\b(return|throw|continue)\b/.test(parent.thenStatement.getText())
  const found: (string | undefined)[] = leaves ? ['false', 'true'] : []
  if (!ts.isBinaryExpression(node)) return found
  const [left, sign = '', right] = node.getChildren().map(child => child.getText())
  if (/^(&&|\|\||\?\?)$/.test(sign)) found.push(left, right)
  if (/^[<>]=?$/.test(sign)) found.push(`${left} ${sign[1] ? sign[0] : `${sign}=`} ${right}`)
  return found
}

/** Returns the text of a node with each fault in it behind a switch. */
export function instrument(file: string, node: ts.Node, isInFunction = false): string {
  const source = node.getSourceFile()
  if (ts.isTypeNode(node)) return node.getText()
  let [text, at] = ['', node === source ? 0 : node.getStart()]
  ts.forEachChild(node, child => {
    text += source.text.slice(at, child.getStart())
    text += instrument(file, child, isInFunction || ts.isFunctionLike(node))
    at = child.end
  })
  text += source.text.slice(at, node.end)
  const isStatement = ts.isExpressionStatement(node)
  // modules are evaluated once, for all faults
  for (const fault of isInFunction ? faultsOf(node) : []) {
    const isOn = `globalThis.__mutant?.(${faults.length})`
    const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1
    faults.push({ file, text: `${file}:${line}  ${node.getText()}  =>  ${fault}` })
    text = isStatement ? `{if(!${isOn}){${text}}}` : `(${isOn}?(${fault}):(${text}))`
  }
  // a line that begins with a bracket would belong to the line before
  return isStatement && text.startsWith('(') ? `{${text}}` : text
}
