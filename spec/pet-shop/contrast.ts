import type { Page } from 'playwright-core'

/**
 * The texts of a page whose contrast with what is behind them is below `least` (WCAG 2.1, 1.4.3),
 * each with its contrast.
 */
export async function faintTexts(page: Page, least: number): Promise<string[]> {
  return (await page.evaluate(`(${faintTextsHere})(${least})`)) as string[]
}

/** Runs in the browser, so it must not use anything of this file. */
const faintTextsHere = `least => {
  const parsed = color => {
    const [r, g, b, a = 1] = color.match(/[\\d.]+/g).map(Number)
    return { r, g, b, a }
  }
  const over = (top, below) => {
    const mixed = name => top[name] * top.a + below[name] * (1 - top.a)
    return { r: mixed('r'), g: mixed('g'), b: mixed('b'), a: 1 }
  }
  const linear = value => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4)
  const luminance = ({ r, g, b }) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
  const behind = element => {
    const own = parsed(getComputedStyle(element).backgroundColor)
    if (own.a === 1) return own
    return over(own, element.parentElement ? behind(element.parentElement) : { r: 255, g: 255, b: 255, a: 1 })
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const faint = new Set()
  while (texts.nextNode()) {
    const { parentElement: element, textContent } = texts.currentNode
    if (!textContent.trim() || !element.checkVisibility({ visibilityProperty: true })) continue
    const background = behind(element)
    const [light, dark] = [over(parsed(getComputedStyle(element).color), background), background].map(luminance).sort((x, y) => y - x)
    const contrast = (light + 0.05) / (dark + 0.05)
    if (contrast < least) faint.add(contrast.toFixed(1) + ' ' + textContent.trim().slice(0, 40))
  }
  return [...faint]
}`
