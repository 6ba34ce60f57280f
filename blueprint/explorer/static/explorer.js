/*
Contains these libraries.

preact 11.2.0 (MIT)

The MIT License (MIT)

Copyright (c) 2015-present Jason Miller

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.

@preact/signals 2.11.4 (MIT)

The MIT License (MIT)

Copyright (c) 2022-present Preact Team

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.

@preact/signals-core 1.14.5 (MIT)

The MIT License (MIT)

Copyright (c) 2022-present Preact Team

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
*/
"use strict";
(() => {
  // node_modules/preact/dist/preact.mjs
  var n;
  var t;
  var r;
  var u;
  var i;
  var f;
  var o;
  var e;
  var l;
  var c;
  var a;
  var s;
  var h = /* @__PURE__ */ Symbol.for("pv");
  var p = {};
  var y = [];
  var v = /^m(i|n|o|s|text|space)$/;
  var w = Array.isArray;
  var d = y.slice;
  var _ = Object.assign;
  function g(n3) {
    n3 && n3.parentNode && n3.remove();
  }
  function k(n3, t4, r4) {
    var u4, i4, f5, o5 = {}, e4 = arguments.length;
    for (f5 in t4) "key" == f5 ? u4 = t4[f5] : "ref" == f5 && "function" != typeof n3 ? i4 = t4[f5] : o5[f5] = t4[f5];
    return e4 > 2 && (o5.children = e4 > 3 ? d.call(arguments, 2) : r4), m(n3, o5, u4, i4, null);
  }
  function m(r4, u4, i4, f5, o5) {
    var e4 = { type: r4, props: u4, key: i4, ref: f5, __k: null, __: null, __b: 0, __e: null, __c: null, constructor: h, __v: o5 || ++t, __i: -1, __u: 0 };
    return !o5 && n.vnode && n.vnode(e4), e4;
  }
  function $(n3) {
    return n3.children;
  }
  function x(n3, t4) {
    this.props = n3, this.context = t4, this.__g = 0;
  }
  function S(n3, t4) {
    if (null == t4) return n3.__ && S(n3.__, n3.__i + 1);
    for (var r4; t4 < n3.__k.length; t4++) if ((r4 = n3.__k[t4]) && r4.__e) return r4.__e;
    return "function" != typeof n3.type || n3.props.__P ? null : S(n3);
  }
  function C(t4) {
    var r4, u4 = t4.__v, i4 = u4.__e, f5 = [], o5 = [], e4 = t4.__P;
    e4 && ((r4 = _({ constructor: h }, u4)).__v = u4.__v + 1, n.vnode && n.vnode(r4), z(e4, r4, u4, t4.__n, e4.namespaceURI, 32 & u4.__u ? [i4] : null, f5, i4 || S(u4), 32 & u4.__u, o5), r4.__v = u4.__v, r4.__.__k[r4.__i] = r4, E(f5, r4, o5), u4.__ = u4.__e = null, r4.__e != i4 && j(r4));
  }
  function j(n3) {
    if ((n3 = n3.__) && n3.__c && !n3.props.__P) return n3.__e = null, n3.__k.some(function(t4) {
      return t4 && (n3.__e = t4.__e);
    }), j(n3);
  }
  function L(t4) {
    (8 & t4.__g || (t4.__g |= 8, u.push(t4), f++)) && i == n.debounceRendering || ((i = n.debounceRendering) || queueMicrotask)(H);
  }
  function H() {
    try {
      for (var n3, t4 = 1; u.length; ) u.length > t4 && u.sort(o), n3 = u.shift(), t4 = u.length, 8 & n3.__g && C(n3);
    } finally {
      (f = u.length) && (i || queueMicrotask)(H);
    }
  }
  function I(n3, t4, r4, u4, i4, f5, o5, e4, l4, c4, a5) {
    var s4, h5, v4, w5, d5, _4, g5 = u4.__k || y, k4 = t4.length;
    for (l4 = q(r4, t4, g5, l4, k4), s4 = 0; s4 < k4; s4++) null != (v4 = r4.__k[s4]) && (h5 = ~v4.__i && g5[v4.__i] || p, v4.__i = s4, _4 = z(n3, v4, h5, i4, f5, o5, e4, l4, c4, a5), w5 = v4.__e, (h5.ref != v4.ref || 8 & h5.__u) && (h5.ref && G(h5.ref, null, v4, h5), v4.ref && a5.push(v4.ref, v4.__c || w5, v4)), d5 = d5 || w5, 4 & v4.__u ? (l4 = A(v4, l4, n3, !h5.__v), h5.__e && (h5.__e = null)) : "function" == typeof v4.type && void 0 !== _4 ? l4 = _4 : w5 && (l4 = w5.nextSibling), v4.__u &= -21);
    return r4.__e = d5, l4;
  }
  function q(n3, t4, r4, u4, i4) {
    var f5, o5, e4, l4, c4, a5, s4, p5, y5, v4 = r4.length, d5 = v4, _4 = 0, g5 = 0, k4 = n3.__k = Array(i4);
    for (f5 = 0; f5 < i4; f5++) null != (o5 = t4[f5]) && "boolean" != typeof o5 && "function" != typeof o5 ? ("object" != typeof o5 || o5.constructor === String ? o5 = k4[f5] = m(null, o5) : w(o5) ? o5 = k4[f5] = m($, { children: o5 }) : o5.constructor === h && o5.__b ? o5 = k4[f5] = m(o5.type, o5.props, o5.key, o5.ref, o5.__v) : k4[f5] = o5, l4 = f5 + _4, o5.__ = n3, o5.__b = n3.__b + 1, e4 = null, ~(c4 = o5.__i = P(o5, r4, l4, d5)) && (d5--, (e4 = r4[c4]) && (e4.__u |= 2)), e4 && e4.__v ? (o5.__u |= 16, c4 == l4 - 1 ? _4-- : c4 == l4 + 1 ? _4++ : c4 != l4 && (c4 > l4 ? _4-- : _4++, g5 = 1)) : (~c4 || (i4 > v4 ? _4-- : i4 < v4 && _4++), "function" != typeof o5.type && (o5.__u |= 4))) : k4[f5] = null;
    if (g5) {
      for (a5 = [], s4 = [], f5 = 0; f5 < i4; f5++) if ((o5 = k4[f5]) && 16 & o5.__u) {
        for (_4 = 0, p5 = a5.length; _4 < p5; ) a5[y5 = _4 + p5 >> 1] < o5.__i ? _4 = y5 + 1 : p5 = y5;
        a5[_4] = o5.__i, s4[f5] = _4 + 1;
      }
      for (_4 = a5.length; f5--; ) s4[f5] && (s4[f5] == _4 ? _4-- : k4[f5].__u |= 4);
    }
    if (d5) for (f5 = 0; f5 < v4; f5++) !(e4 = r4[f5]) || 2 & e4.__u || (e4.__e == u4 && (u4 = S(e4)), J(e4, e4));
    return u4;
  }
  function A(n3, t4, r4, u4) {
    var i4, f5, o5, e4;
    if ("function" == typeof n3.type) {
      if (n3.props.__P) return t4;
      if (i4 = n3.__k) for (f5 = 0; f5 < i4.length; f5++) i4[f5] && (i4[f5].__ = n3, t4 = A(i4[f5], t4, r4, false));
      return t4;
    }
    for (t4 && !t4.parentNode && (t4 = S(n3)) && !t4.parentNode && (t4 = null), o5 = n3.__e, e4 = t4; e4 && 8 == e4.nodeType; ) e4 = e4.nextSibling;
    for (o5 != e4 && (!u4 && r4.moveBefore && o5.parentNode ? r4.moveBefore(o5, t4) : r4.insertBefore(o5, t4 || null)), t4 = o5; (t4 = t4 && t4.nextSibling) && 8 == t4.nodeType && !t4.data.startsWith("$s"); ) ;
    return t4;
  }
  function P(n3, t4, r4, u4) {
    var i4, f5 = n3.key, o5 = n3.type, e4 = t4[r4], l4 = e4 && !(2 & e4.__u);
    if (null === e4 && null == f5 || l4 && f5 == e4.key && o5 == e4.type) return r4;
    if (u4 > (l4 ? 1 : 0)) {
      for (i4 = r4 - 1; i4 >= 0; i4--) if ((e4 = t4[i4]) && !(2 & e4.__u) && f5 == e4.key && o5 == e4.type) return i4;
      for (i4 = r4 + 1; i4 < t4.length; i4++) if ((e4 = t4[i4]) && !(2 & e4.__u) && f5 == e4.key && o5 == e4.type) return i4;
    }
    return -1;
  }
  function T(n3, t4, r4) {
    null == r4 && (r4 = ""), "-" == t4[0] ? n3.setProperty(t4, r4) : n3[t4] = r4;
  }
  function N(n3, t4, r4, u4, i4) {
    var f5, o5;
    if ("style" == t4) if ("string" == typeof r4) n3.style.cssText = r4;
    else {
      if ("string" == typeof u4 && (n3.style.cssText = u4 = ""), u4) for (t4 in u4) r4 && t4 in r4 || T(n3.style, t4);
      if (r4) for (t4 in r4) u4 && r4[t4] == u4[t4] || T(n3.style, t4, r4[t4]);
    }
    else if ("o" == t4[0] && "n" == t4[1]) "function" != typeof r4 && (r4 = null), "function" != typeof u4 && (u4 = null), (n3.__e || (n3.__e = {}))[t4] = r4, r4 && u4 || (o5 = a[t4] || (a[t4] = V(t4)), (n3.__a || (n3.__a = {}))[t4] = c, f5 = t4 != (t4 = t4.replace(l, "$1")), (t4 = t4.slice(2))[0] < "a" && (t4 = t4.toLowerCase()), r4 ? n3.addEventListener(t4, o5, f5) : n3.removeEventListener(t4, o5, f5));
    else {
      if ("http://www.w3.org/2000/svg" == i4) t4 = t4.replace(/xlink(H|:h)/, "h").replace(/sName$/, "s");
      else if ("width" != t4 && "height" != t4 && "href" != t4 && "list" != t4 && "form" != t4 && "tabIndex" != t4 && "download" != t4 && "rowSpan" != t4 && "colSpan" != t4 && "role" != t4 && "popover" != t4 && t4 in n3) try {
        return void (n3[t4] = null == r4 ? "" : r4);
      } catch (n4) {
      }
      if ("function" == typeof r4) return;
      null == r4 || false === r4 && "-" != t4[4] ? n3.removeAttribute(t4) : n3.setAttribute(t4, "popover" == t4 && 1 == r4 ? "" : r4);
    }
  }
  function V(t4) {
    return function(r4) {
      var u4 = this.__e;
      if (u4) {
        if (u4 = u4[t4], null == r4[e]) r4[e] = c++;
        else if (r4[e] < this.__a[t4]) return;
        return u4(n.event ? n.event(r4) : r4);
      }
    };
  }
  function z(t4, r4, u4, i4, f5, o5, e4, l4, c4, a5) {
    var s4, p5, v4, d5, k4, b3, m5, M2, C3, j3, L2, H2, q2, A4, O2, P2, T4, N2, V2 = r4.type;
    if (r4.constructor !== h) return null;
    128 & u4.__u && (c4 = 32 & u4.__u, s4 = u4.__c.__z) && (r4.__u |= c4, p5 = o5 = [], 8 == s4.nodeType ? l4 = B(s4, o5) : o5.push(s4), l4 = o5[0] || l4), (s4 = n.__b) && s4(r4);
    n: if ("function" == typeof V2) {
      v4 = e4.length;
      try {
        if (M2 = r4.props, C3 = (s4 = V2.prototype) && s4.render, j3 = (s4 = V2.contextType) && i4[s4.__c], L2 = s4 ? j3 ? j3.props.value : s4.__ : i4, (d5 = u4.__c) ? (r4.__c = d5, 2 & d5.__g && (d5.__g |= 1)) : (C3 ? r4.__c = d5 = new V2(M2, L2) : (r4.__c = d5 = new x(M2, L2), d5.constructor = V2, d5.render = K), j3 && j3.sub(d5), d5.state || (d5.state = {}), d5.__n = i4, d5.__g |= 8, d5.__h = [], d5.__k = []), C3 && (d5.__s || (d5.__s = d5.state), V2.getDerivedStateFromProps && (d5.__s == d5.state && (d5.__s = _({}, d5.__s)), _(d5.__s, V2.getDerivedStateFromProps(M2, d5.__s)))), k4 = d5.props, b3 = d5.state, d5.__v = r4, u4.__c) {
          if (M2 !== k4 && C3 && !V2.getDerivedStateFromProps && d5.componentWillReceiveProps && d5.componentWillReceiveProps(M2, L2), r4.__v == u4.__v && !(8 & d5.__g) || !(4 & d5.__g) && d5.shouldComponentUpdate && false === d5.shouldComponentUpdate(M2, d5.__s, L2)) {
            r4.__v != u4.__v && (d5.props = M2, d5.state = d5.__s, d5.__g &= -9), r4.__e = u4.__e, r4.__k = u4.__k, r4.__k.some(function(n3) {
              n3 && (n3.__ = r4);
            }), y.push.apply(d5.__h, d5.__k), d5.__k = [], d5.__h.length && e4.push(d5), l4 = S(u4);
            break n;
          }
          d5.componentWillUpdate && d5.componentWillUpdate(M2, d5.__s, L2), C3 && d5.componentDidUpdate && d5.__h.push(function() {
            d5.componentDidUpdate(k4, b3, m5);
          });
        } else C3 && !V2.getDerivedStateFromProps && d5.componentWillMount && d5.componentWillMount(), C3 && d5.componentDidMount && d5.__h.push(d5.componentDidMount);
        d5.context = L2, d5.props = M2, d5.__P = t4, d5.__g &= -5, H2 = n.__r, q2 = C3 ? 25 : 0;
        do {
          d5.__g &= -9, H2 && H2(r4), s4 = d5.render(d5.props, d5.state = d5.__s, d5.context);
        } while (8 & d5.__g && ++q2 < 25);
        C3 && (y.push.apply(d5.__h, d5.__k), d5.__k = []), d5.state = d5.__s, d5.getChildContext && (i4 = _({}, i4, d5.getChildContext())), C3 && u4.__c && d5.getSnapshotBeforeUpdate && (m5 = d5.getSnapshotBeforeUpdate(k4, b3)), A4 = s4 && s4.type === $ && null == s4.key ? s4.props.children : s4, M2.__P && (s4 = l4, f5 = (t4 = M2.__P).namespaceURI, c4 = o5 = null, u4.props && u4.props.__P != t4 && (u4.__k.some(function(n3) {
          n3 && J(n3, n3);
        }), u4.__k = null), l4 = u4.__k ? S(u4, 0) : null), l4 = I(t4, w(A4) ? A4 : [A4], r4, u4, i4, f5, o5, e4, l4, c4, a5), M2.__P && (r4.__e = null, l4 = s4), r4.__u &= -161, p5 && p5.some(g), d5.__h.length && e4.push(d5), 1 & d5.__g && (d5.__g &= -4);
      } catch (t5) {
        if (e4.length = v4, r4.__v = null, c4 || o5) if (t5 && t5.then) {
          if (r4.__u |= 128 | c4, o5) {
            for (~(T4 = o5.indexOf(l4 || void 0)) || (T4 = o5.length); (N2 = o5[T4 - 1]) && 8 == N2.nodeType; ) T4--;
            for (; T4 < o5.length; T4++) if (N2 = o5[T4]) if (o5[T4] = null, O2) {
              if (N2 == P2) break;
            } else {
              if (8 != N2.nodeType) break;
              N2.data.startsWith("$s") && (P2 = B(O2 = N2));
            }
          }
          if (!O2) {
            for (; l4 && 8 == l4.nodeType && l4.nextSibling; ) l4 = l4.nextSibling;
            O2 = l4;
          }
          (s4 = B(O2 = r4.__c.__z || (r4.__c.__z = O2))) ? (r4.__e = O2, l4 = s4) : r4.__e = l4, l4 = l4 && l4.nextSibling;
        } else o5 && o5.some(g);
        else r4.__e = u4.__e;
        r4.__k || (r4.__k = u4.__k || []), t5 && t5.then || D(r4), n.__e(t5, r4, u4);
      }
    } else l4 = r4.__e = F(u4.__e, r4, u4, i4, f5, o5, e4, c4, a5, t4);
    return (s4 = n.diffed) && s4(r4), l4;
  }
  function B(n3, t4) {
    if (n3 && 8 == n3.nodeType && n3.data.startsWith("$s")) for (var r4 = 1; n3 = n3.nextSibling; ) {
      if (8 == n3.nodeType) {
        if (n3.data.startsWith("$s")) r4++;
        else if (n3.data.startsWith("/$s") && !--r4) return n3;
      }
      t4 && t4.push(n3);
    }
  }
  function D(n3) {
    n3 && (n3.__c && (n3.__c.__g |= 4), n3.__k && n3.__k.some(D));
  }
  function E(t4, r4, u4) {
    for (var i4 = 0; i4 < u4.length; ) G(u4[i4++], u4[i4++], u4[i4++]);
    n.__c && n.__c(r4, t4), t4.some(function(r5) {
      try {
        t4 = r5.__h, r5.__h = [], t4.some(function(n3) {
          n3.call(r5);
        });
      } catch (t5) {
        n.__e(t5, r5.__v);
      }
    });
  }
  function F(t4, r4, u4, i4, f5, o5, e4, l4, c4, a5) {
    var s4, h5, y5, _4, k4, b3, m5, M2, $2 = u4.props || p, x3 = r4.props, C3 = r4.type;
    if ("svg" == C3 ? f5 = "http://www.w3.org/2000/svg" : "math" == C3 ? f5 = "http://www.w3.org/1998/Math/MathML" : f5 || (f5 = "http://www.w3.org/1999/xhtml"), o5) {
      for (s4 = 0; s4 < o5.length; s4++) if ((k4 = o5[s4]) && (C3 ? k4.localName == C3 : 3 == k4.nodeType)) {
        t4 = k4, o5[s4] = null;
        break;
      }
    }
    if (!t4) {
      if (M2 = a5.ownerDocument || document, !C3) return M2.createTextNode(x3);
      t4 = M2.createElementNS(f5, C3, x3.is ? x3 : a5), l4 && (n.__m && n.__m(r4, o5), l4 = false), o5 = null;
    }
    if (C3) {
      if (a5 = "template" == C3 && t4.content || t4, o5 = "textarea" == C3 && null != x3.defaultValue ? null : o5 && d.call(a5.childNodes), !l4 && o5) for ($2 = {}, s4 = 0; s4 < t4.attributes.length; s4++) $2[(k4 = t4.attributes[s4]).name] = k4.value;
      for (s4 in $2) k4 = $2[s4], "dangerouslySetInnerHTML" == s4 ? y5 = k4 : "children" == s4 || s4 in x3 || "value" == s4 && "defaultValue" in x3 || "checked" == s4 && "defaultChecked" in x3 || N(t4, s4, null, k4, f5);
      for (s4 in x3) k4 = x3[s4], "children" == s4 ? _4 = k4 : "dangerouslySetInnerHTML" == s4 ? h5 = k4 : "value" == s4 ? b3 = k4 : "checked" == s4 ? m5 = k4 : l4 && "function" != typeof k4 || $2[s4] === k4 || N(t4, s4, k4, $2[s4], f5);
      h5 ? (l4 || y5 && (h5.__html == y5.__html || h5.__html == t4.innerHTML) || (t4.innerHTML = h5.__html), r4.__k = []) : (y5 && (t4.textContent = ""), ("foreignObject" == C3 || "http://www.w3.org/1998/Math/MathML" == f5 && v.test(C3)) && (f5 = "http://www.w3.org/1999/xhtml"), I(a5, w(_4) ? _4 : [_4], r4, u4, i4, f5, o5, e4, o5 ? o5[0] : u4.__k && S(u4, 0), l4, c4), o5 && o5.some(g)), l4 && "textarea" != C3 || (s4 = "value", "progress" == C3 && null == b3 ? t4.removeAttribute(s4) : null == b3 || b3 === t4[s4] && ("progress" != C3 || b3) || N(t4, s4, b3, $2[s4], f5), s4 = "checked", null != m5 && m5 != t4[s4] && N(t4, s4, m5, $2[s4], f5));
    } else $2 === x3 || l4 && t4.data == x3 || (t4.data = x3);
    return t4;
  }
  function G(t4, r4, u4, i4) {
    try {
      "function" == typeof t4 ? r4 ? r4.__x = t4(r4) || 1 : i4 && (i4 = i4.__c || i4.__e) && (r4 = i4.__x) && (i4.__x = null, "function" == typeof r4 ? r4() : t4(null)) : t4.current = r4;
    } catch (t5) {
      n.__e(t5, u4);
    }
  }
  function J(t4, r4, u4) {
    var i4, f5, o5, e4;
    if (n.unmount && n.unmount(t4), !(i4 = t4.ref) || i4.current && i4.current != t4.__e || G(i4, null, r4, t4), i4 = t4.__c) {
      if (i4.componentWillUnmount) try {
        i4.componentWillUnmount();
      } catch (t5) {
        n.__e(t5, r4);
      }
      i4.__P = i4.__n = null;
    }
    if (i4 = t4.__k) for (e4 = 0; e4 < i4.length; e4++) i4[e4] && J(i4[e4], r4, "function" != typeof t4.type || u4 && !t4.props.__P);
    !u4 && (i4 = t4.__c) && (i4 = i4.__z) && (f5 = B(i4, o5 = [])) && (i4 == t4.__e && o5.some(g), g(f5), g(i4)), u4 || g(t4.__e), t4.__e = t4.__c = t4.__ = null;
  }
  function K(n3, t4, r4) {
    return this.constructor(n3, r4);
  }
  function Q(t4, r4) {
    var u4, i4, f5, o5;
    n.__ && n.__(t4, r4), 9 == r4.nodeType && (r4 = r4.documentElement), i4 = (u4 = t4 && 32 & t4.__u) ? null : r4.__k, r4.__k = m($, { children: [t4] }), f5 = [], o5 = [], z(r4, r4.__k, i4 || p, p, r4.namespaceURI, i4 ? null : r4.firstChild ? d.call(r4.childNodes) : null, f5, i4 ? i4.__e : r4.firstChild, u4, o5), E(f5, r4.__k, o5), r4.__k.props.children = null;
  }
  n = { __e: function(n3, t4, r4, u4) {
    for (var i4, o5, e4; t4 = t4.__; ) if ((i4 = t4.__c) && !(1 & i4.__g)) {
      i4.__g |= 4;
      try {
        if ((e4 = (o5 = i4.constructor) && o5.getDerivedStateFromError) && i4.setState(o5.getDerivedStateFromError(n3)), i4.componentDidCatch && (i4.componentDidCatch(n3, u4 || {}), e4 = 1), e4 && 8 & i4.__g) return void (i4.__g |= 2);
      } catch (t5) {
        n3 = t5;
      }
    }
    throw f = 0, n3;
  } }, t = 0, r = function(n3) {
    return null != n3 && n3.constructor === h;
  }, x.prototype.setState = function(n3, t4) {
    var r4 = this.__s;
    r4 && r4 != this.state || (r4 = this.__s = _({}, this.state)), "function" == typeof n3 && (n3 = n3(_({}, r4), this.props)), n3 && (_(r4, n3), this.__v && (t4 && this.__k.push(t4), L(this)));
  }, x.prototype.forceUpdate = function(n3) {
    this.__v && (this.__g |= 4, n3 && this.__h.push(n3), L(this));
  }, x.prototype.render = $, u = [], f = 0, o = function(n3, t4) {
    return n3.__v.__b - t4.__v.__b;
  }, e = /* @__PURE__ */ Symbol(), l = /(PointerCapture)$|Capture$/i, c = 0, a = {}, s = 0;

  // node_modules/preact/hooks/dist/hooks.mjs
  var t2;
  var r2;
  var u2;
  var i2;
  var o2 = Object.is;
  var f2 = 0;
  var c2 = [];
  var e2 = [];
  var a2 = n;
  var v2 = a2.__b;
  var l2 = a2.__r;
  var m2 = a2.diffed;
  var h2 = a2.__c;
  var s2 = a2.unmount;
  var p2 = a2.__;
  function y2(n3, t4) {
    a2.__h && a2.__h(r2, n3, f2 || t4), f2 = 0;
    var u4 = r2.__H || (r2.__H = { __: [], __h: [] });
    return n3 >= u4.__.length && u4.__.push({}), u4.__[n3];
  }
  function d2(n3) {
    return f2 = 1, _2(G2, n3);
  }
  function _2(n3, u4, i4) {
    var f5 = y2(t2++, 2);
    if (f5.t = n3, !f5.__c && (f5.__ = [i4 ? i4(u4) : G2(void 0, u4), function(n4) {
      var t4 = (f5.__N || f5.__)[0], r4 = f5.t(t4, n4);
      o2(t4, r4) || (f5.__N = [r4, f5.__[1]], f5.__c.setState({}));
    }], f5.__c = r2, !r2.__f)) {
      r2.__f = true;
      var c4 = r2.shouldComponentUpdate;
      r2.shouldComponentUpdate = function(n4, t4, r4) {
        var u5 = this.__H;
        if (!u5) return true;
        var i5 = false, f6 = this.props != n4;
        if (u5.__.some(function(n5) {
          n5.__N && (i5 = true, o2(n5.__[0], n5.__N[0]) || (f6 = true));
        }), c4) {
          var e4 = c4.call(this, n4, t4, r4);
          return i5 ? e4 || f6 : e4;
        }
        return !i5 || f6;
      };
    }
    return f5.__;
  }
  function A2(n3, u4) {
    var i4 = y2(t2++, 3);
    !a2.__s && E2(i4.__H, u4) && (i4.__P = true, i4.__ = n3, i4.u = u4, r2.__H.__h.push(i4));
  }
  function F2(n3, u4) {
    var i4 = y2(t2++, 4);
    !a2.__s && E2(i4.__H, u4) && (i4.__P = false, i4.__ = n3, i4.u = u4, r2.__h.push(i4));
  }
  function T2(n3) {
    return f2 = 5, w2(function() {
      return { current: n3 };
    }, []);
  }
  function w2(n3, r4) {
    var u4 = y2(t2++, 7);
    return E2(u4.__H, r4) && (u4.__ = n3(), u4.__H = r4), u4.__;
  }
  function g2() {
    var n3;
    do {
      for (; n3 = e2.shift(); ) try {
        C2(n3);
      } catch (t5) {
        a2.__e(t5, { __: (n3 = n3.__P) && n3.__v });
      }
      for (; n3 = c2.shift(); ) {
        var t4 = n3.__H;
        if (n3.__P && t4) try {
          t4.__h.some(C2), t4.__h.some(D2), t4.__h = [];
        } catch (r4) {
          t4.__h = [], a2.__e(r4, n3.__v);
        }
      }
    } while (e2.length);
  }
  a2.__b = function(n3) {
    r2 = null, v2 && v2(n3);
  }, a2.__ = function(n3, t4) {
    n3 && t4.__k && t4.__k.__m && (n3.__m = t4.__k.__m), p2 && p2(n3, t4);
  }, a2.__r = function(n3) {
    l2 && l2(n3), t2 = 0;
    var i4 = (r2 = n3.__c).__H;
    i4 && (u2 == r2 ? r2.__h = [] : (i4.__h.some(C2), i4.__h.some(D2), t2 = 0), i4.__h = [], i4.__.some(function(n4) {
      n4.__N && (n4.__ = n4.__N), n4.u = n4.__N = void 0;
    })), u2 = r2;
  }, a2.diffed = function(n3) {
    m2 && m2(n3);
    var t4 = n3.__c;
    t4 && t4.__H && (t4.__H.__h.length && B2(c2.push(t4)), t4.__H.__.some(function(n4) {
      n4.u && (n4.__H = n4.u);
    })), u2 = r2 = null;
  }, a2.__c = function(n3, t4) {
    t4.some(function(n4) {
      try {
        n4.__h.some(C2), n4.__h = n4.__h.filter(function(n5) {
          return !n5.__ || D2(n5);
        });
      } catch (t5) {
        n4.__h = [function() {
          throw t5;
        }];
      }
    }), h2 && h2(n3, t4);
  }, a2.unmount = function(n3) {
    s2 && s2(n3);
    var t4, r4, u4 = n3.__c;
    u4 && u4.__H && (u4.__H.__.some(function(u5) {
      try {
        if (u5.__P && u5.__c) {
          if (void 0 === r4) {
            for (r4 = n3.__; r4 && (!r4.__c || !r4.__c.__P); ) r4 = r4.__;
            r4 = r4 && r4.__c;
          }
          u5.__P = r4, B2(e2.push(u5));
        } else C2(u5);
      } catch (n4) {
        t4 = n4;
      }
    }), u4.__H = void 0, t4 && a2.__e(t4, u4.__v));
  };
  var k2 = "function" == typeof requestAnimationFrame;
  function z2(n3) {
    var t4, r4 = function() {
      clearTimeout(u4), k2 && cancelAnimationFrame(t4), setTimeout(n3);
    }, u4 = setTimeout(r4, 35);
    k2 && (t4 = requestAnimationFrame(r4));
  }
  function B2(n3) {
    1 != n3 && i2 == a2.requestAnimationFrame || ((i2 = a2.requestAnimationFrame) || z2)(g2);
  }
  function C2(n3) {
    var t4 = r2, u4 = n3.__c;
    "function" == typeof u4 && (n3.__c = void 0, u4()), r2 = t4;
  }
  function D2(n3) {
    var t4 = r2;
    n3.__c = n3.__(), r2 = t4;
  }
  function E2(n3, t4) {
    return !n3 || n3.length != t4.length || t4.some(function(t5, r4) {
      return !o2(t5, n3[r4]);
    });
  }
  function G2(n3, t4) {
    return "function" == typeof t4 ? t4(n3) : t4;
  }

  // src/chunks.ts
  var KEPT = 24;
  var kept = /* @__PURE__ */ new Map();
  var canInflate = typeof DecompressionStream !== "undefined";
  async function inflated(base64) {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return await new Response(stream).arrayBuffer();
  }
  async function digest(bytes) {
    const found = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    return Array.from(found, (byte) => byte.toString(16).padStart(2, "0")).join("");
  }
  async function read(chunk) {
    if (!canInflate) throw new Error("This browser cannot inflate the page's data (DecompressionStream is missing).");
    const text = document.getElementById(chunk.id)?.textContent;
    if (!text) throw new Error(`Part ${chunk.id} of this page is missing.`);
    const bytes = await inflated(text.trim()).catch(() => {
      throw new Error(`Part ${chunk.id} of this page is damaged.`);
    });
    const whole = !globalThis.crypto?.subtle || await digest(bytes) === chunk.sha256;
    const rows = whole ? JSON.parse(new TextDecoder().decode(bytes)) : null;
    if (!Array.isArray(rows) || rows.length !== chunk.count) throw new Error(`Part ${chunk.id} of this page is damaged.`);
    return rows;
  }
  var reading = 0;
  async function announced(chunk) {
    reading += 1;
    document.body.ariaBusy = "true";
    try {
      return await read(chunk);
    } finally {
      reading -= 1;
      document.body.ariaBusy = String(reading > 0);
    }
  }
  function rowsOf(chunk) {
    const held2 = kept.get(chunk.id) ?? { rows: announced(chunk) };
    held2.rows.then(
      (rows) => {
        held2.now = rows;
      },
      () => kept.delete(chunk.id)
    );
    kept.delete(chunk.id);
    kept.set(chunk.id, held2);
    for (const id of kept.keys()) {
      if (kept.size <= KEPT) break;
      kept.delete(id);
    }
    return held2.rows;
  }
  function rowNow(list, position) {
    const chunk = list.chunks[chunkAt(list, position)];
    return chunk && kept.get(chunk.id)?.now?.[position - chunk.start];
  }
  function chunkAt(list, position) {
    let low = 0;
    let high = list.chunks.length - 1;
    while (low <= high) {
      const middle = low + high >> 1;
      const chunk = list.chunks[middle];
      if (!chunk) return -1;
      if (position < chunk.start) high = middle - 1;
      else if (position >= chunk.start + chunk.count) low = middle + 1;
      else return middle;
    }
    return -1;
  }
  async function rowAt(list, position) {
    const chunk = list.chunks[chunkAt(list, position)];
    if (!chunk) throw new Error("This is not in this bundle.");
    return (await rowsOf(chunk))[position - chunk.start];
  }
  async function* chunksFrom(list, start = 0) {
    for (const chunk of list.chunks) {
      if (chunk.start + chunk.count <= start) continue;
      yield [chunk.start, await rowsOf(chunk)];
    }
  }
  var WAITING = { state: "waiting" };
  function why(error) {
    return error instanceof Error ? error.message : String(error);
  }
  function useAnswer(ask, of) {
    const [held2, hold2] = d2({ of, answer: WAITING });
    A2(() => {
      let wanted = true;
      ask().then(
        (value) => wanted && hold2({ of, answer: { state: "here", value } }),
        (error) => wanted && hold2({ of, answer: { state: "failed", why: why(error) } })
      );
      return () => {
        wanted = false;
      };
    }, of);
    const current = held2.of.length === of.length && held2.of.every((value, at) => Object.is(value, of[at]));
    return current ? held2.answer : WAITING;
  }
  function useRows(list, positions) {
    const held2 = T2({ list, rows: /* @__PURE__ */ new Map() });
    const [, redraw] = d2(0);
    if (held2.current.list !== list) held2.current = { list, rows: /* @__PURE__ */ new Map() };
    const rows = held2.current.rows;
    const wanted = new Set(positions);
    for (const position of rows.keys()) if (!wanted.has(position)) rows.delete(position);
    for (const position of positions) {
      const row = rows.has(position) ? void 0 : rowNow(list, position);
      if (row !== void 0) rows.set(position, { state: "here", value: row });
    }
    const asked = positions.filter((position) => !rows.has(position));
    A2(() => {
      const chunks = /* @__PURE__ */ new Map();
      for (const position of asked) {
        const at = chunkAt(list, position);
        chunks.set(at, [...chunks.get(at) ?? [], position]);
      }
      for (const [at, positions2] of chunks) {
        const chunk = list.chunks[at];
        if (!chunk) continue;
        const settle2 = (answer) => {
          for (const position of positions2) rows.set(position, answer(position));
          redraw((count) => count + 1);
        };
        rowsOf(chunk).then(
          (found) => settle2((position) => ({ state: "here", value: found[position - chunk.start] })),
          (error) => settle2(() => ({ state: "failed", why: why(error) }))
        );
      }
    }, [list, asked.join(",")]);
    return rows;
  }

  // src/data.ts
  var index = JSON.parse(document.getElementById("index")?.textContent ?? "null");
  function slug(stage) {
    return stage.branch ? `${stage.stage}.${stage.branch}` : stage.stage;
  }
  function stageBySlug(name) {
    return index.stages.findIndex((stage) => slug(stage) === name);
  }
  function stageTitle(position) {
    const stage = index.stages[position];
    if (!stage) return "request";
    return stage.branch ? `${stage.title} (${stage.branch})` : stage.title;
  }
  function boundaryTitle(boundary) {
    return `${stageTitle(boundary.source)} \u2192 ${stageTitle(boundary.target)}`;
  }

  // src/numbers.ts
  var DIGITS = /^\d+$/;
  function grouped(text) {
    return DIGITS.test(text) ? text.replace(/\B(?=(\d{3})+$)/g, ",") : text;
  }
  function groupedWithin(text) {
    return text.replace(/(?<![\w#.:-])\d{4,}(?!\w)/g, grouped);
  }
  function isNumber(text) {
    return /^-?\d{1,40}$/.test(text);
  }
  function counted(count, one, many = `${one}s`) {
    const text = String(count);
    return `${grouped(text)} ${text === "1" ? one : many}`;
  }
  var BINARY = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  var RATE = ["kB", "MB", "GB", "TB", "PB", "EB"];
  var DECIMAL = ["k", "M", "G", "T", "P", "E", "Z"];
  var TIME = ["ns", "\xB5s", "ms", "s"];
  function scaled(text, step2, units) {
    if (!DIGITS.test(text)) return "";
    const value = BigInt(text);
    let size = step2;
    let unit = 0;
    if (value < size) return "";
    while (unit + 1 < units.length && hundredths(value, size) >= 100n * step2) {
      size *= step2;
      unit += 1;
    }
    const shown = hundredths(value, size);
    const rest = String(shown % 100n).padStart(2, "0");
    const sign = shown * size === value * 100n ? "" : "\u2248 ";
    return `${sign}${grouped(String(shown / 100n))}.${rest} ${units[unit]}`;
  }
  function hundredths(value, size) {
    return (200n * value + size) / (2n * size);
  }
  function human(text, about) {
    const topic = about.toLowerCase();
    if (/bytes\b.* in one second/.test(topic)) return scaled(text, 1000n, RATE);
    if (/bytes?\b|^size$|^device_memory$/.test(topic)) return scaled(text, 1024n, BINARY);
    if (/operations|\bops\b|flop/.test(topic)) return scaled(text, 1000n, DECIMAL);
    if (/picoseconds?|\bps\b/.test(topic)) return scaled(text, 1000n, TIME);
    return "";
  }

  // node_modules/@preact/signals-core/dist/signals-core.module.js
  var i3 = /* @__PURE__ */ Symbol.for("preact-signals");
  function t3() {
    if (!(v3 > 1)) {
      var i4, t4 = false;
      !(function() {
        var i5 = c3;
        c3 = void 0;
        while (void 0 !== i5) {
          var t5 = i5.S;
          if (t5.v === i5.v) {
            for (var r5 = t5.t; void 0 !== r5; r5 = r5.x) if (r5.i === i5.i) r5.i = t5.i;
          }
          i5 = i5.o;
        }
      })();
      while (void 0 !== h3) {
        var r4 = h3;
        h3 = void 0;
        s3++;
        while (void 0 !== r4) {
          var n3 = r4.u;
          r4.u = void 0;
          r4.f &= -3;
          if (!(8 & r4.f) && w3(r4)) try {
            r4.c();
          } catch (r5) {
            if (!t4) {
              i4 = r5;
              t4 = true;
            }
          }
          r4 = n3;
        }
      }
      s3 = 0;
      v3--;
      if (t4) throw i4;
    } else v3--;
  }
  function r3(i4) {
    if (v3 > 0) return i4();
    u3 = ++e3;
    v3++;
    try {
      return i4();
    } finally {
      t3();
    }
  }
  var n2;
  var o3 = void 0;
  function f3(i4) {
    var t4 = o3, r4 = n2;
    o3 = void 0;
    n2 = void 0;
    try {
      return i4();
    } finally {
      o3 = t4;
      n2 = r4;
    }
  }
  var h3 = void 0;
  var v3 = 0;
  var s3 = 0;
  var e3 = 0;
  var u3 = 0;
  var c3 = void 0;
  var a3 = 0;
  function d3(i4) {
    if (void 0 !== o3) {
      var t4 = i4.n;
      if (void 0 === t4 || t4.t !== o3) {
        t4 = { i: 0, S: i4, p: o3.s, n: void 0, t: o3, e: void 0, x: void 0, r: t4 };
        if (void 0 !== o3.s) o3.s.n = t4;
        o3.s = t4;
        i4.n = t4;
        if (32 & o3.f) i4.S(t4);
        return t4;
      } else if (-1 === t4.i) {
        t4.i = 0;
        if (void 0 !== t4.n) {
          t4.n.p = t4.p;
          if (void 0 !== t4.p) t4.p.n = t4.n;
          t4.p = o3.s;
          t4.n = void 0;
          o3.s.n = t4;
          o3.s = t4;
        }
        return t4;
      }
    }
  }
  function l3(i4, t4) {
    this.v = i4;
    this.i = 0;
    this.n = void 0;
    this.t = void 0;
    this.l = 0;
    this.W = null == t4 ? void 0 : t4.watched;
    this.Z = null == t4 ? void 0 : t4.unwatched;
    this.name = null == t4 ? void 0 : t4.name;
  }
  l3.prototype.brand = i3;
  l3.prototype.h = function() {
    return true;
  };
  l3.prototype.S = function(i4) {
    var t4 = this, r4 = this.t;
    if (r4 !== i4 && void 0 === i4.e) {
      i4.x = r4;
      this.t = i4;
      if (void 0 !== r4) r4.e = i4;
      else f3(function() {
        var i5;
        null == (i5 = t4.W) || i5.call(t4);
      });
    }
  };
  l3.prototype.U = function(i4) {
    var t4 = this;
    if (void 0 !== this.t) {
      var r4 = i4.e, n3 = i4.x;
      if (void 0 !== r4) {
        r4.x = n3;
        i4.e = void 0;
      }
      if (void 0 !== n3) {
        n3.e = r4;
        i4.x = void 0;
      }
      if (i4 === this.t) {
        this.t = n3;
        if (void 0 === n3) f3(function() {
          var i5;
          null == (i5 = t4.Z) || i5.call(t4);
        });
      }
    }
  };
  l3.prototype.subscribe = function(i4) {
    var t4 = this;
    return x2(function() {
      var r4 = t4.value;
      f3(function() {
        return i4(r4);
      });
    }, { name: "sub" });
  };
  l3.prototype.valueOf = function() {
    return this.value;
  };
  l3.prototype.toString = function() {
    return this.value + "";
  };
  l3.prototype.toJSON = function() {
    return this.value;
  };
  l3.prototype.peek = function() {
    var i4 = this;
    return f3(function() {
      return i4.value;
    });
  };
  Object.defineProperty(l3.prototype, "value", { get: function() {
    var i4 = d3(this);
    if (void 0 !== i4) i4.i = this.i;
    return this.v;
  }, set: function(i4) {
    if (i4 !== this.v) {
      if (s3 > 100) throw new Error("Cycle detected");
      !(function(i5) {
        if (0 !== v3 && 0 === s3) {
          if (i5.l !== u3) {
            i5.l = u3;
            c3 = { S: i5, v: i5.v, i: i5.i, o: c3 };
          }
        }
      })(this);
      this.v = i4;
      this.i++;
      a3++;
      v3++;
      try {
        for (var r4 = this.t; void 0 !== r4; r4 = r4.x) r4.t.N();
      } finally {
        t3();
      }
    }
  } });
  function y3(i4, t4) {
    return new l3(i4, t4);
  }
  function w3(i4) {
    for (var t4 = i4.s; void 0 !== t4; t4 = t4.n) if (t4.S.i !== t4.i || !t4.S.h() || t4.S.i !== t4.i) return true;
    return false;
  }
  function b(i4) {
    for (var t4 = i4.s; void 0 !== t4; t4 = t4.n) {
      var r4 = t4.S.n;
      if (void 0 !== r4) t4.r = r4;
      t4.S.n = t4;
      t4.i = -1;
      if (void 0 === t4.n) {
        i4.s = t4;
        break;
      }
    }
  }
  function _3(i4) {
    var t4 = i4.s, r4 = void 0;
    while (void 0 !== t4) {
      var n3 = t4.p;
      if (-1 === t4.i) {
        t4.S.U(t4);
        if (void 0 !== n3) n3.n = t4.n;
        if (void 0 !== t4.n) t4.n.p = n3;
      } else r4 = t4;
      t4.S.n = t4.r;
      if (void 0 !== t4.r) t4.r = void 0;
      t4 = n3;
    }
    i4.s = r4;
  }
  function j2(i4, t4) {
    l3.call(this, void 0, t4);
    this.x = i4;
    this.s = void 0;
    this.g = a3 - 1;
    this.f = 4;
  }
  j2.prototype = new l3();
  j2.prototype.h = function() {
    this.f &= -3;
    if (1 & this.f) return false;
    if (32 == (36 & this.f)) return true;
    this.f &= -5;
    if (this.g === a3) return true;
    this.g = a3;
    this.f |= 1;
    if (this.i > 0 && !w3(this)) {
      this.f &= -2;
      return true;
    }
    var i4 = o3;
    try {
      b(this);
      o3 = this;
      var t4 = this.x();
      if (16 & this.f || this.v !== t4 || 0 === this.i) {
        this.v = t4;
        this.f &= -17;
        this.i++;
      }
    } catch (i5) {
      this.v = i5;
      this.f |= 16;
      this.i++;
    }
    o3 = i4;
    _3(this);
    this.f &= -2;
    return true;
  };
  j2.prototype.S = function(i4) {
    if (void 0 === this.t) {
      this.f |= 36;
      for (var t4 = this.s; void 0 !== t4; t4 = t4.n) t4.S.S(t4);
    }
    l3.prototype.S.call(this, i4);
  };
  j2.prototype.U = function(i4) {
    if (void 0 !== this.t) {
      l3.prototype.U.call(this, i4);
      if (void 0 === this.t) {
        this.f &= -33;
        for (var t4 = this.s; void 0 !== t4; t4 = t4.n) t4.S.U(t4);
      }
    }
  };
  j2.prototype.N = function() {
    if (!(2 & this.f)) {
      this.f |= 6;
      for (var i4 = this.t; void 0 !== i4; i4 = i4.x) i4.t.N();
    }
  };
  Object.defineProperty(j2.prototype, "value", { get: function() {
    if (1 & this.f) throw new Error("Cycle detected");
    var i4 = d3(this);
    this.h();
    if (void 0 !== i4) i4.i = this.i;
    if (16 & this.f) throw this.v;
    return this.v;
  } });
  function O(i4, t4) {
    return new j2(i4, t4);
  }
  function p3(i4) {
    var r4 = i4.j;
    i4.j = void 0;
    if ("function" == typeof r4) {
      v3++;
      var n3 = o3;
      o3 = void 0;
      try {
        r4();
      } catch (t4) {
        i4.f &= -2;
        i4.f |= 8;
        g3(i4);
        throw t4;
      } finally {
        o3 = n3;
        t3();
      }
    }
  }
  function g3(i4) {
    for (var t4 = i4.s; void 0 !== t4; t4 = t4.n) t4.S.U(t4);
    i4.x = void 0;
    i4.s = void 0;
    p3(i4);
  }
  function S2(i4) {
    if (o3 !== this) throw new Error("Out-of-order effect");
    _3(this);
    o3 = i4;
    this.f &= -2;
    try {
      if (8 & this.f) g3(this);
    } finally {
      t3();
    }
  }
  function m3(i4, t4) {
    this.x = i4;
    this.j = void 0;
    this.s = void 0;
    this.u = void 0;
    this.f = 32;
    this.name = null == t4 ? void 0 : t4.name;
    if (n2) n2.push(this);
  }
  m3.prototype.c = function() {
    var i4 = this.S();
    try {
      if (8 & this.f) return;
      if (void 0 === this.x) return;
      var t4 = this.x();
      if ("function" == typeof t4) this.j = t4;
    } finally {
      i4();
    }
  };
  m3.prototype.S = function() {
    if (1 & this.f) throw new Error("Cycle detected");
    this.f |= 1;
    this.f &= -9;
    p3(this);
    b(this);
    v3++;
    var i4 = o3;
    o3 = this;
    return S2.bind(this, i4);
  };
  m3.prototype.N = function() {
    if (!(2 & this.f)) {
      this.f |= 2;
      this.u = h3;
      h3 = this;
    }
  };
  m3.prototype.d = function() {
    this.f |= 8;
    if (!(1 & this.f)) g3(this);
  };
  m3.prototype.dispose = function() {
    this.d();
  };
  function x2(i4, t4) {
    var r4 = new m3(i4, t4);
    try {
      r4.c();
    } catch (i5) {
      r4.d();
      throw i5;
    }
    var n3 = r4.d.bind(r4);
    n3[Symbol.dispose] = n3;
    return n3;
  }

  // node_modules/@preact/signals/dist/signals.module.js
  var h4;
  var d4;
  var p4;
  var m4 = "undefined" != typeof window && !!window.__PREACT_SIGNALS_DEVTOOLS__;
  var g4 = [];
  x2(function() {
    h4 = this.N;
  })();
  function b2(i4, n3) {
    n[i4] = n3.bind(null, n[i4] || function() {
    });
  }
  function y4(i4) {
    if (p4) {
      var n3 = p4;
      p4 = void 0;
      n3();
    }
    p4 = i4 && i4.S();
  }
  function w4(i4) {
    var n3 = this, r4 = i4.data, t4 = useSignal(r4);
    t4.name = "ReactiveDom";
    t4.value = r4;
    var e4 = w2(function() {
      var i5 = n3, r5 = n3.__v;
      while (r5 = r5.__) if (r5.__c) {
        r5.__c.__$f |= 4;
        break;
      }
      var o5 = O(function() {
        var i6 = t4.value.value;
        return 0 === i6 ? 0 : true === i6 ? "" : i6 || "";
      }), e5 = O(function() {
        return !Array.isArray(o5.value) && !r(o5.value);
      }), u5 = x2(function() {
        this.N = M;
        if (e5.value) {
          var n4 = o5.value;
          if (i5.__v && i5.__v.__e && 3 === i5.__v.__e.nodeType) i5.__v.__e.data = n4;
        }
      }), c5 = n3.__$u.d;
      n3.__$u.d = function() {
        u5();
        c5.call(this);
      };
      return [e5, o5];
    }, []), u4 = e4[0], c4 = e4[1];
    return u4.value ? c4.peek() : c4.value;
  }
  w4.displayName = "ReactiveTextNode";
  Object.defineProperties(l3.prototype, { constructor: { configurable: true, value: k($, null).constructor }, type: { configurable: true, value: w4 }, props: { configurable: true, get: function() {
    var i4 = this;
    return { data: { get value() {
      return i4.value;
    } } };
  } }, __b: { configurable: true, value: 1 } });
  b2("__b", function(i4, n3) {
    y4();
    d4 = void 0;
    if ("string" == typeof n3.type) {
      var r4, t4 = n3.props;
      for (var f5 in t4) if ("children" !== f5) {
        var o5 = t4[f5];
        if (o5 instanceof l3) {
          if (!r4) n3.__np = r4 = {};
          r4[f5] = o5;
          t4[f5] = o5.peek();
        }
      }
    }
    i4(n3);
  });
  b2("__r", function(i4, r4) {
    i4(r4);
    if (r4.type !== $) {
      y4();
      var t4, f5 = r4.__c;
      if (f5) {
        f5.__$f &= -2;
        if (void 0 === (t4 = f5.__$u)) f5.__$u = t4 = (function(i5, n3) {
          var r5;
          x2(function() {
            r5 = this;
          }, { name: n3 });
          r5.c = i5;
          return r5;
        })(/* @__PURE__ */ (function(i5) {
          return function() {
            var n3;
            if (m4) null == (n3 = this.y) || n3.call(this);
            i5.__$f |= 1;
            i5.setState({});
          };
        })(f5), "function" == typeof r4.type ? r4.type.displayName || r4.type.name : "");
      }
      d4 = f5;
      y4(t4);
    }
  });
  b2("__e", function(i4, n3, r4, t4) {
    y4();
    d4 = void 0;
    i4(n3, r4, t4);
  });
  b2("diffed", function(i4, n3) {
    y4();
    d4 = void 0;
    var r4;
    if ("string" == typeof n3.type && (r4 = n3.__e)) {
      var t4 = n3.__np, f5 = n3.props, o5 = r4.U;
      if (o5) for (var e4 in o5) {
        var u4 = o5[e4];
        if (!(void 0 === u4 || t4 && e4 in t4)) {
          u4.d();
          o5[e4] = void 0;
        }
      }
      if (t4) {
        if (!o5) {
          o5 = {};
          r4.U = o5;
        }
        for (var a5 in t4) {
          var c4 = o5[a5], v4 = t4[a5];
          if (void 0 === c4) {
            c4 = k3(r4, a5, v4, f5);
            o5[a5] = c4;
          } else c4.o(v4, f5);
        }
      }
    }
    i4(n3);
  });
  function k3(i4, n3, r4, t4) {
    var f5 = n3 in i4 && void 0 === i4.ownerSVGElement, o5 = y3(r4);
    return { o: function(i5, n4) {
      o5.value = i5;
      t4 = n4;
    }, d: x2(function() {
      this.N = M;
      var r5 = o5.value.value;
      if (t4[n3] !== r5) {
        t4[n3] = r5;
        if (f5) i4[n3] = r5;
        else if (null != r5 && (false !== r5 || "-" === n3[4])) i4.setAttribute(n3, r5);
        else i4.removeAttribute(n3);
      }
    }) };
  }
  b2("unmount", function(i4, n3) {
    if ("string" == typeof n3.type) {
      var r4 = n3.__e;
      if (r4) {
        var t4 = r4.U;
        if (t4) {
          r4.U = void 0;
          for (var f5 in t4) {
            var o5 = t4[f5];
            if (o5) o5.d();
          }
        }
      }
      var e4 = n3.__np;
      if (e4) {
        var u4 = n3.props;
        for (var a5 in e4) u4[a5] = e4[a5];
      }
      n3.__np = void 0;
    } else {
      var c4 = n3.__c;
      if (c4) {
        c4.__$f |= 8;
        var v4 = c4.__$u;
        if (v4) {
          c4.__$u = void 0;
          v4.d();
        }
      }
    }
    i4(n3);
  });
  b2("__h", function(i4, n3, r4, t4) {
    if (t4 < 3) n3.__$f |= 2;
    i4(n3, r4, t4);
  });
  x.prototype.shouldComponentUpdate = function(i4, n3) {
    if (this.__R) return true;
    var r4 = this.__$u, t4 = r4 && void 0 !== r4.s;
    for (var f5 in n3) return true;
    if (this.__f || "boolean" == typeof this.u && true === this.u) {
      var o5 = 2 & this.__$f;
      if (!(t4 || o5 || 4 & this.__$f)) return true;
      if (1 & this.__$f) return true;
    } else {
      if (!(t4 || 4 & this.__$f)) return true;
      if (3 & this.__$f) return true;
    }
    for (var e4 in i4) if ("__source" !== e4 && i4[e4] !== this.props[e4]) return true;
    for (var u4 in this.props) if (!(u4 in i4)) return true;
    return false;
  };
  function useSignal(i4, n3) {
    return w2(function() {
      return y3(i4, n3);
    }, []);
  }
  var A3 = function(i4) {
    queueMicrotask(function() {
      queueMicrotask(i4);
    });
  };
  function F3() {
    r3(function() {
      var i4;
      while (i4 = g4.shift()) h4.call(i4);
    });
  }
  function M() {
    if (1 === g4.push(this)) (n.requestAnimationFrame || A3)(F3);
  }

  // src/route.ts
  function parsed(hash) {
    const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
    const parts = path.split("/").filter(Boolean).map(decoded);
    return { path: parts, options: new Map(new URLSearchParams(query)) };
  }
  function decoded(part) {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  }
  function address(path, options = []) {
    const query = new URLSearchParams([...options].filter(([, value]) => value !== "").map(([name, value]) => [name, value]));
    const tail = query.toString();
    return `#/${path.map((part) => encodeURIComponent(part)).join("/")}${tail ? `?${tail}` : ""}`;
  }
  var route = y3(parsed(location.hash));
  var followed = location.hash;
  function follow() {
    if (location.hash === followed) return;
    followed = location.hash;
    route.value = parsed(followed);
  }
  addEventListener("hashchange", follow);
  function go(to) {
    location.hash = to;
    follow();
  }
  function settle(to) {
    location.replace(to);
    follow();
  }
  function withOptions(changes) {
    const { path, options } = route.value;
    return address(path, new Map([...options, ...Object.entries(changes)]));
  }
  function keepingOptions(path) {
    return address(path, route.value.options);
  }

  // node_modules/preact/jsx-runtime/dist/jsxRuntime.mjs
  var f4 = /* @__PURE__ */ Symbol.for("pv");
  var o4 = 0;
  function a4(t4, e4, n3, u4, a5, i4) {
    e4 || (e4 = {});
    var c4, l4, p5 = e4;
    if ("ref" in p5 && "function" != typeof t4) for (l4 in p5 = {}, e4) "ref" == l4 ? c4 = e4[l4] : p5[l4] = e4[l4];
    var s4 = { type: t4, props: p5, key: n3, ref: c4, __k: null, __: null, __b: 0, __e: null, __c: null, constructor: f4, __v: --o4, __i: -1, __u: 0 };
    return (a5 || i4) && (s4.__source = a5, s4.__self = i4), n.vnode && n.vnode(s4), s4;
  }

  // src/spans.tsx
  var MEANINGS = [
    ["structure", "structure"],
    ["type", "type and shape"],
    ["topology", "topology"],
    ["work", "exact work"],
    ["mapping", "mapping"],
    ["name", "name"]
  ];
  function entityAddress(stage, entity) {
    const row = index.stages[stage];
    return address(["stage", row ? slug(row) : "", "e", entity]);
  }
  var WHOLE = 32;
  function Expression({ span, stage, outer = true }) {
    const whole = !outer && span.colour !== "name" && wording(span).length <= WHOLE;
    const parts = whole ? wording(span) : /* @__PURE__ */ a4(Parts, { parts: span.parts, stage });
    const classes = `span span-${span.colour}${outer ? " span-outer" : ""}${whole ? " span-whole" : ""}`;
    if (span.entity === void 0) return /* @__PURE__ */ a4("span", { class: classes, children: parts });
    return /* @__PURE__ */ a4("a", { class: classes, href: entityAddress(stage, span.entity), children: parts });
  }
  function Parts({ parts, stage }) {
    return /* @__PURE__ */ a4($, { children: parts.map(
      (part) => typeof part === "string" ? wrapping(part) : /* @__PURE__ */ a4(Expression, { span: part, stage, outer: false })
    ) });
  }
  function wrapping(text) {
    return text.endsWith("(") ? [breakable(text), /* @__PURE__ */ a4("wbr", {})] : breakable(text);
  }
  function breakable(text) {
    return text.split(/(?<=[._,=])(?=\S)/).flatMap((part, at) => at === 0 ? [part] : [/* @__PURE__ */ a4("wbr", {}), part]);
  }
  function wording(part) {
    return typeof part === "string" ? part : part.parts.map(wording).join("");
  }
  function Legend() {
    return /* @__PURE__ */ a4("p", { class: "legend", children: [
      /* @__PURE__ */ a4("span", { children: "Colours:" }),
      MEANINGS.map(([colour, meaning]) => /* @__PURE__ */ a4("span", { class: `span span-${colour}`, children: meaning }))
    ] });
  }

  // src/status.tsx
  var CHECK = "M4.6 8.2l2.3 2.4 4.5-5";
  var CROSS = "M5.2 5.2l5.6 5.6M10.8 5.2l-5.6 5.6";
  var DISC = "M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13z";
  var SQUARE = "M2.5 2.5h11v11h-11z";
  var OCTAGON = "M5.2 1.5h5.6l3.7 3.7v5.6l-3.7 3.7h-5.6l-3.7-3.7v-5.6z";
  var TRIANGLE = "M8 1.8l6.6 12.2h-13.2z";
  var DIAMOND = "M8 1.2l6.8 6.8-6.8 6.8-6.8-6.8z";
  var BANG = "M8 6.2v3.6M8 11.6v0.4";
  var DASH = "M5 8h6";
  var EQUAL = "M5 6.6h6M5 9.4h6";
  var UNEQUAL = "M5 6.6h6M5 9.4h6M9.6 4.6l-3.2 6.8";
  var SIGNS = {
    verified: { tone: "good", shape: DISC + CHECK, means: "everything that was asked follows" },
    proved: { tone: "good", shape: DISC + CHECK, means: "follows for all values that its hypotheses allow" },
    checked: { tone: "checked", shape: SQUARE + CHECK, means: "holds at the values of this bundle" },
    definition: { tone: "chosen", shape: SQUARE + EQUAL, means: "chosen, not derived" },
    refuted: { tone: "bad", shape: OCTAGON + CROSS, means: "false, with a counterexample" },
    differs: { tone: "bad", shape: OCTAGON + UNEQUAL, means: "claims and laws hold, but digest, construction or record differs" },
    malformed: { tone: "bad", shape: OCTAGON + CROSS, means: "not a bundle" },
    error: { tone: "bad", shape: OCTAGON + BANG, means: "the verifier failed" },
    unknown: { tone: "open", shape: TRIANGLE + BANG, means: "not decided within the budget" },
    "not established": { tone: "open", shape: TRIANGLE + BANG, means: "something that is required was not shown" },
    vacuous: { tone: "open", shape: DIAMOND + BANG, means: "its hypotheses can never hold" },
    "not-run": { tone: "none", shape: DISC + DASH, means: "was not asked" },
    "not-applicable": { tone: "none", shape: DIAMOND + DASH, means: "does not apply here" },
    unavailable: { tone: "none", shape: DISC + DASH, means: "there is no such snapshot" }
  };
  var UNKNOWN = { tone: "none", shape: DISC + DASH, means: "" };
  var WORDS = [
    "proved",
    "checked",
    "definition",
    "refuted",
    "unknown",
    "vacuous",
    "not-run",
    "not-applicable"
  ];
  function meaningOf(word) {
    return (SIGNS[word] ?? UNKNOWN).means;
  }
  function toneOf(word) {
    return (SIGNS[word] ?? UNKNOWN).tone;
  }
  function establishes(word) {
    return word === "proved" || word === "checked" || word === "verified";
  }
  function Icon({ word, zero = false }) {
    const sign = SIGNS[word] ?? UNKNOWN;
    return /* @__PURE__ */ a4("svg", { class: `icon tone-${zero ? "none" : sign.tone}`, viewBox: "0 0 16 16", "aria-hidden": "true", children: /* @__PURE__ */ a4("path", { d: sign.shape }) });
  }
  function Status({ word, count }) {
    if (!word) return null;
    return /* @__PURE__ */ a4("span", { class: `status tone-${count === "0" ? "zero" : toneOf(word)}`, title: meaningOf(word), children: [
      /* @__PURE__ */ a4(Icon, { word, zero: count === "0" }),
      count === void 0 ? null : /* @__PURE__ */ a4($, { children: [
        /* @__PURE__ */ a4("b", { children: count }),
        " "
      ] }),
      /* @__PURE__ */ a4("span", { children: word })
    ] });
  }

  // src/parts.tsx
  function Quantity({ text, about = "", unit = "" }) {
    const larger = human(text, about);
    return /* @__PURE__ */ a4($, { children: [
      isNumber(text) ? /* @__PURE__ */ a4("span", { class: "number", children: grouped(text) }) : /* @__PURE__ */ a4("span", { children: isDigest(text) ? text : breakable(text) }),
      unit ? /* @__PURE__ */ a4($, { children: [
        " ",
        /* @__PURE__ */ a4("bdi", { children: unit })
      ] }) : null,
      larger ? /* @__PURE__ */ a4("span", { class: "aside-value", children: [
        " ",
        larger
      ] }) : null
    ] });
  }
  var DIGEST = /^([a-z]+:)?[0-9a-f]{64}$/;
  var NONE = /* @__PURE__ */ new Map();
  function Facts(table) {
    const { facts, label, expected = NONE } = table;
    if (facts.length === 0) return null;
    const rows = [...facts].sort((a5, b3) => Number(expected.has(b3.name)) - Number(expected.has(a5.name)));
    return /* @__PURE__ */ a4("table", { class: "facts", children: [
      /* @__PURE__ */ a4("caption", { class: "hidden-text", children: label }),
      /* @__PURE__ */ a4("tbody", { children: rows.map(({ name, value }) => /* @__PURE__ */ a4("tr", { class: expected.has(name) ? "wrong" : "", children: [
        /* @__PURE__ */ a4("th", { scope: "row", children: [
          expected.has(name) ? /* @__PURE__ */ a4(Icon, { word: "refuted" }) : null,
          " ",
          breakable(name)
        ] }),
        /* @__PURE__ */ a4("td", { class: DIGEST.test(value) ? "digest" : "", children: [
          /* @__PURE__ */ a4("bdi", { children: /* @__PURE__ */ a4(Quantity, { text: value, about: name }) }),
          expected.has(name) ? /* @__PURE__ */ a4("p", { class: "expected", children: [
            "expected ",
            /* @__PURE__ */ a4("bdi", { class: "number", children: grouped(expected.get(name) ?? "") })
          ] }) : null
        ] })
      ] })) })
    ] });
  }
  function Digest({ text }) {
    return /* @__PURE__ */ a4("span", { class: "digest", title: text, children: DIGEST.test(text) ? `${text.slice(0, 16)}\u2026` : text });
  }
  function isDigest(text) {
    return DIGEST.test(text);
  }
  function Awaited({
    answer,
    children
  }) {
    if (answer.state === "waiting") return /* @__PURE__ */ a4("p", { class: "waiting", children: "Reading\u2026" });
    if (answer.state === "failed") return /* @__PURE__ */ a4(Notice, { children: answer.why });
    return /* @__PURE__ */ a4($, { children: children(answer.value) });
  }
  function Notice({ refutes = false, children }) {
    return /* @__PURE__ */ a4("p", { class: refutes ? "notice refutes" : "notice", role: "alert", children: [
      refutes ? /* @__PURE__ */ a4(Icon, { word: "refuted" }) : null,
      children
    ] });
  }
  function NotHere({ what }) {
    return /* @__PURE__ */ a4(Notice, { children: [
      "Not in this bundle: ",
      what,
      "."
    ] });
  }
  function NoView({ what }) {
    return /* @__PURE__ */ a4("main", { class: "view", tabIndex: -1, children: [
      /* @__PURE__ */ a4("h1", { tabIndex: -1, children: "Nothing to show" }),
      /* @__PURE__ */ a4(NotHere, { what })
    ] });
  }
  function Part({ title, note, children }) {
    return /* @__PURE__ */ a4("section", { class: "part", "aria-label": title, children: [
      /* @__PURE__ */ a4("h2", { children: [
        title,
        note ? /* @__PURE__ */ a4("small", { children: [
          " ",
          note
        ] }) : null
      ] }),
      children
    ] });
  }
  function More({ title, open, children }) {
    return /* @__PURE__ */ a4("details", { class: "more", open, children: [
      /* @__PURE__ */ a4("summary", { children: title }),
      children
    ] });
  }
  function Choice({
    label,
    options,
    chosen: chosen2
  }) {
    return /* @__PURE__ */ a4("nav", { class: "choice", "aria-label": label, children: options.map(([name, title, href]) => /* @__PURE__ */ a4("a", { href, "aria-current": name === chosen2 ? "true" : void 0, children: title })) });
  }

  // src/evidence.tsx
  function ClaimEvidence({ claim }) {
    return /* @__PURE__ */ a4("details", { class: "claim", open: !establishes(claim.status), children: [
      /* @__PURE__ */ a4("summary", { children: [
        /* @__PURE__ */ a4(Status, { word: claim.status }),
        " ",
        /* @__PURE__ */ a4("span", { children: claim.kind })
      ] }),
      /* @__PURE__ */ a4("p", { class: "support", children: index.meanings.find(({ name }) => name === claim.kind)?.value }),
      /* @__PURE__ */ a4(Failed, { rows: claim.failed }),
      /* @__PURE__ */ a4(ObligationAt, { position: claim.obligation, failed: claim.failed[0] })
    ] });
  }
  function Failed({ rows }) {
    if (rows.length === 0) return null;
    return /* @__PURE__ */ a4("div", { class: "failed-box", children: /* @__PURE__ */ a4("table", { class: "failed", children: [
      /* @__PURE__ */ a4("caption", { children: "Fields that are not what the rule makes of them" }),
      /* @__PURE__ */ a4("thead", { children: /* @__PURE__ */ a4("tr", { children: [
        /* @__PURE__ */ a4("th", { scope: "col", children: "field" }),
        /* @__PURE__ */ a4("th", { scope: "col", class: "amount", children: "found" }),
        /* @__PURE__ */ a4("th", { scope: "col", class: "amount", children: "expected" }),
        /* @__PURE__ */ a4("th", { scope: "col", children: "because" })
      ] }) }),
      /* @__PURE__ */ a4("tbody", { children: rows.map((row) => /* @__PURE__ */ a4("tr", { children: [
        /* @__PURE__ */ a4("th", { scope: "row", children: /* @__PURE__ */ a4("bdi", { children: breakable(row.field) }) }),
        /* @__PURE__ */ a4("td", { class: "amount wrong", "data-label": "found", children: /* @__PURE__ */ a4(Amount, { text: row.found }) }),
        /* @__PURE__ */ a4("td", { class: "amount", "data-label": "expected", children: /* @__PURE__ */ a4(Amount, { text: row.expected }) }),
        /* @__PURE__ */ a4("td", { "data-label": "because", children: /* @__PURE__ */ a4("bdi", { children: breakable(row.expression) }) })
      ] })) })
    ] }) });
  }
  function Amount({ text }) {
    return /* @__PURE__ */ a4("bdi", { class: isNumber(text) ? "number" : "", children: grouped(text) });
  }
  function ObligationAt({ position, failed }) {
    const answer = useAnswer(() => rowAt(index.obligations, position), [position]);
    return /* @__PURE__ */ a4(Awaited, { answer, children: (row) => /* @__PURE__ */ a4(ObligationFacts, { row, position, failed }) });
  }
  function ObligationFacts(of) {
    const { row, position, failed } = of;
    const same2 = JSON.stringify(row.counterexample) === JSON.stringify(row.witness);
    const facts = [
      { name: row.shared === "1" ? "asked" : "first asked as", value: row.statement },
      { name: "solver", value: row.solver },
      { name: "second decider", value: row.second },
      { name: "cross-check", value: row.cross || "not asked for" },
      { name: "premises used", value: row.premises.join(", ") || "none" },
      { name: "decides", value: counted(row.shared, "claim or law instance", "claims and law instances") },
      ...row.reason ? [{ name: "not decided because", value: row.reason }] : [],
      { name: "digest", value: row.digest }
    ];
    return /* @__PURE__ */ a4("div", { class: "obligation", children: [
      row.counterexample.length > 0 ? /* @__PURE__ */ a4("h3", { children: "Counterexample" }) : null,
      /* @__PURE__ */ a4(Counterexample, { row, failed }),
      /* @__PURE__ */ a4(Facts, { facts, label: "Obligation" }),
      row.witness.length > 0 && !same2 ? /* @__PURE__ */ a4($, { children: [
        /* @__PURE__ */ a4("h3", { children: "Values at which its hypotheses hold" }),
        /* @__PURE__ */ a4(Facts, { facts: row.witness, label: "Witness" })
      ] }) : null,
      /* @__PURE__ */ a4("p", { children: /* @__PURE__ */ a4("a", { href: address(["evidence", position]), children: [
        "Obligation ",
        grouped(String(position)),
        " on its own"
      ] }) })
    ] });
  }
  function Counterexample({ row, failed }) {
    if (row.counterexample.length === 0) return null;
    return /* @__PURE__ */ a4("div", { class: "counterexample", children: [
      /* @__PURE__ */ a4(Facts, { facts: row.counterexample, label: "Counterexample" }),
      failed ? /* @__PURE__ */ a4("p", { class: "gives", children: [
        "gives ",
        /* @__PURE__ */ a4(Amount, { text: failed.expected }),
        ", found",
        " ",
        /* @__PURE__ */ a4("b", { class: "wrong", children: /* @__PURE__ */ a4(Amount, { text: failed.found }) })
      ] }) : null
    ] });
  }
  function LawEvidence({ law }) {
    const facts = [
      { name: "rule", value: law.rule },
      { name: "published", value: law.source },
      { name: "speaks of", value: law.group },
      { name: "members", value: law.members },
      { name: "for all parameters", value: foreverWords(law.theorem) }
    ];
    return /* @__PURE__ */ a4("div", { class: "law", children: [
      /* @__PURE__ */ a4("p", { children: [
        /* @__PURE__ */ a4(Status, { word: law.status }),
        " ",
        /* @__PURE__ */ a4("bdi", { children: law.statement })
      ] }),
      /* @__PURE__ */ a4(Equations, { equations: law.equations }),
      /* @__PURE__ */ a4(Facts, { facts, label: "Law" }),
      law.theorems.length > 0 ? /* @__PURE__ */ a4(More, { title: counted(law.theorems.length, "recorded theorem"), children: /* @__PURE__ */ a4(Facts, { facts: law.theorems.map((digest2) => ({ name: "theorem", value: digest2 })), label: "Theorems" }) }) : null
    ] });
  }
  var FOREVER = {
    "re-decided": "proved for all parameters, and decided again in this run",
    recorded: "proved for all parameters, recorded in proofs/",
    absent: "no theorem is recorded",
    none: "nothing: it is a law of single plans, or does not apply"
  };
  function foreverWords(theorem) {
    return FOREVER[theorem] ?? theorem;
  }
  function Equations({ equations }) {
    if (equations.length === 0) return null;
    return /* @__PURE__ */ a4("div", { class: "equations", children: equations.map((equation) => /* @__PURE__ */ a4("p", { children: equation })) });
  }

  // src/names.ts
  var known = /* @__PURE__ */ new Map();
  async function read2(stage) {
    const list = index.stages[stage]?.names;
    const names2 = [];
    if (list) for await (const [, rows] of chunksFrom(list)) for (const row of rows) names2.push(row);
    return names2;
  }
  function namesOf(stage) {
    const found = known.get(stage) ?? read2(stage);
    known.set(stage, found);
    return found;
  }
  function matching(names2, text) {
    const wanted = text.toLowerCase();
    const found = [];
    names2.forEach(([alias, name, id], position) => {
      if (alias.toLowerCase().includes(wanted) || name.toLowerCase().includes(wanted) || id.includes(wanted)) {
        found.push(position);
      }
    });
    return found;
  }

  // src/failure.tsx
  function Failures() {
    const [first, ...others] = index.findings;
    if (!first) return null;
    const note = index.findings_total > 1 ? `1 of ${grouped(String(index.findings_total))} findings: mend this first` : "";
    return /* @__PURE__ */ a4(Part, { title: first.refutes ? "What is wrong" : "What is not established", note, children: /* @__PURE__ */ a4("div", { class: "findings", children: [
      /* @__PURE__ */ a4(First, { finding: first }),
      others.length > 0 ? /* @__PURE__ */ a4("details", { class: "more", children: [
        /* @__PURE__ */ a4("summary", { children: [
          grouped(String(others.length)),
          " more",
          index.findings_total > index.findings.length ? ` of ${grouped(String(index.findings_total - 1))}; the report has them all` : ""
        ] }),
        WEIGHTS.map(([weight, title]) => {
          const some = others.filter((finding) => finding.weight === weight);
          return some.length === 0 ? null : /* @__PURE__ */ a4($, { children: [
            /* @__PURE__ */ a4("h3", { children: title }),
            /* @__PURE__ */ a4(FindingList, { findings: some })
          ] });
        })
      ] }) : null
    ] }) });
  }
  var WEIGHTS = [
    ["first", "To mend, too"],
    ["later", "Of later stages, which are held against what is wrong before them"],
    ["bytes", "Of digests, replay and records, which differ wherever anything does"]
  ];
  function FindingList({ findings }) {
    return /* @__PURE__ */ a4("ol", { class: "finding-list", children: findings.map((finding) => /* @__PURE__ */ a4("li", { children: /* @__PURE__ */ a4(Finding, { finding }) })) });
  }
  function Finding({ finding, first = false }) {
    return /* @__PURE__ */ a4($, { children: [
      /* @__PURE__ */ a4("p", { class: "finding-code", children: [
        /* @__PURE__ */ a4(Icon, { word: finding.refutes ? "refuted" : "unknown" }),
        " ",
        /* @__PURE__ */ a4("span", { class: "code-name", children: finding.code })
      ] }),
      /* @__PURE__ */ a4("p", { children: /* @__PURE__ */ a4("bdi", { children: groupedWithin(finding.message) }) }),
      /* @__PURE__ */ a4(Places, { finding, first })
    ] });
  }
  function Places({ finding, first }) {
    const boundary = index.boundaries[finding.boundary];
    const stage = index.stages[finding.stage];
    const law = boundary?.laws[finding.law];
    return /* @__PURE__ */ a4("p", { class: "places", children: [
      stage && finding.entity >= 0 && !first ? /* @__PURE__ */ a4("a", { href: entityAddress(finding.stage, finding.entity), children: "The entity" }) : null,
      boundary && finding.relation >= 0 ? /* @__PURE__ */ a4("a", { href: address(["boundary", finding.boundary, "r", finding.relation]), children: "Rule, law and counterexample" }) : null,
      law ? /* @__PURE__ */ a4("a", { href: address(["boundary", finding.boundary, "l", finding.law]), children: [
        "Law ",
        law.id,
        " ",
        law.form
      ] }) : null,
      boundary ? /* @__PURE__ */ a4("a", { href: address(["boundary", finding.boundary]), children: boundaryTitle(boundary) }) : null,
      finding.path ? /* @__PURE__ */ a4("span", { children: [
        "at ",
        /* @__PURE__ */ a4("bdi", { children: finding.path })
      ] }) : null
    ] });
  }
  function FindingNotes({ findings }) {
    return /* @__PURE__ */ a4($, { children: findings.map((finding) => /* @__PURE__ */ a4(Notice, { refutes: finding.refutes, children: [
      /* @__PURE__ */ a4("b", { class: "code-name", children: finding.code }),
      " ",
      /* @__PURE__ */ a4("bdi", { children: groupedWithin(finding.message) }),
      " ",
      finding.relation >= 0 ? /* @__PURE__ */ a4("a", { href: address(["boundary", finding.boundary, "r", finding.relation]), children: "Rule, law and counterexample" }) : null
    ] })) });
  }
  function isOpen(law) {
    return !establishes(law.status) && law.status !== "not-applicable";
  }
  function First({ finding }) {
    const answer = useAnswer(() => tell(finding), [finding]);
    return /* @__PURE__ */ a4("article", { class: `first ${finding.refutes ? "refutes" : ""}`, children: [
      /* @__PURE__ */ a4(Finding, { finding, first: true }),
      finding.meaning ? /* @__PURE__ */ a4("p", { class: "support", children: finding.meaning }) : null,
      /* @__PURE__ */ a4(Awaited, { answer, children: (told) => /* @__PURE__ */ a4(Steps, { finding, told }) })
    ] });
  }
  var LOOKED_AT = 100;
  async function tell(finding) {
    const boundary = index.boundaries[finding.boundary];
    const names2 = finding.entity >= 0 ? await namesOf(finding.stage) : [];
    const relation = boundary && finding.relation >= 0 ? await rowAt(boundary.relations, finding.relation) : void 0;
    const rule = relation && boundary?.rules[relation.rule];
    const laws = (rule?.laws ?? [finding.law]).flatMap((at) => {
      const law = boundary?.laws[at];
      return law ? [[law, at]] : [];
    });
    const asked = [
      ...(relation?.claims ?? []).filter((claim) => !establishes(claim.status)).map((claim) => claim.obligation),
      ...laws.filter(([law]) => isOpen(law)).flatMap(([law]) => law.obligations.slice(0, LOOKED_AT))
    ];
    laws.sort(([a5], [b3]) => Number(isOpen(b3)) - Number(isOpen(a5)));
    return { entity: names2[finding.entity]?.[0] ?? "", relation, laws, obligation: await refuted(asked) };
  }
  async function refuted(asked) {
    for (const at of asked) {
      const obligation = await rowAt(index.obligations, at);
      if (obligation.counterexample.length > 0) return obligation;
    }
    return void 0;
  }
  function Steps({ finding, told }) {
    const boundary = index.boundaries[finding.boundary];
    const rule = told.relation && boundary?.rules[told.relation.rule];
    const claims = (told.relation?.claims ?? []).filter((claim) => !establishes(claim.status));
    return /* @__PURE__ */ a4("dl", { class: "steps", children: [
      told.entity ? /* @__PURE__ */ a4($, { children: [
        /* @__PURE__ */ a4("dt", { children: "entity" }),
        /* @__PURE__ */ a4("dd", { children: /* @__PURE__ */ a4("a", { href: entityAddress(finding.stage, finding.entity), children: /* @__PURE__ */ a4("bdi", { children: told.entity }) }) })
      ] }) : null,
      rule ? /* @__PURE__ */ a4($, { children: [
        /* @__PURE__ */ a4("dt", { children: "rule" }),
        /* @__PURE__ */ a4("dd", { children: [
          /* @__PURE__ */ a4("a", { href: address(["boundary", finding.boundary, "r", finding.relation]), children: rule.id }),
          ": ",
          rule.rewrite
        ] })
      ] }) : null,
      claims.map((claim) => /* @__PURE__ */ a4($, { children: [
        /* @__PURE__ */ a4("dt", { children: "claim" }),
        /* @__PURE__ */ a4("dd", { children: [
          /* @__PURE__ */ a4(Status, { word: claim.status }),
          " ",
          claim.kind,
          /* @__PURE__ */ a4(Failed, { rows: claim.failed })
        ] })
      ] })),
      told.laws.map(([law, at]) => /* @__PURE__ */ a4($, { children: [
        /* @__PURE__ */ a4("dt", { children: "law" }),
        /* @__PURE__ */ a4("dd", { children: [
          /* @__PURE__ */ a4(Status, { word: law.status }),
          " ",
          /* @__PURE__ */ a4("a", { href: address(["boundary", finding.boundary, "l", at]), children: [
            law.id,
            " ",
            law.form
          ] }),
          " ",
          /* @__PURE__ */ a4("bdi", { children: law.statement }),
          isOpen(law) ? /* @__PURE__ */ a4(Equations, { equations: law.equations }) : /* @__PURE__ */ a4(SpeaksOf, { law })
        ] })
      ] })),
      told.obligation ? /* @__PURE__ */ a4($, { children: [
        /* @__PURE__ */ a4("dt", { children: "counterexample" }),
        /* @__PURE__ */ a4("dd", { children: /* @__PURE__ */ a4(Counterexample, { row: told.obligation, failed: claims[0]?.failed[0] }) })
      ] }) : null
    ] });
  }
  function SpeaksOf({ law }) {
    return /* @__PURE__ */ a4("p", { class: "support", children: [
      law.status === "not-applicable" ? "it does not apply; it would speak of" : "it holds, and speaks of",
      " ",
      /* @__PURE__ */ a4("bdi", { children: law.group })
    ] });
  }

  // src/standing.ts
  function findingsAt(boundary) {
    return index.findings.filter((finding) => finding.boundary === boundary);
  }
  function countAt(boundary) {
    return index.totals_of_findings.boundaries[boundary]?.count ?? 0;
  }
  function examined(boundary) {
    return boundary.coverage.length > 0;
  }
  function standingOf(boundary, position) {
    if (!establishes(boundary.weakest)) return boundary.weakest;
    return index.totals_of_findings.boundaries[position]?.word || boundary.weakest;
  }
  var FAMILIES = {
    report: "the recorded report differs",
    digest: "a digest differs",
    replay: "the canonical construction differs"
  };
  function differences(findings) {
    const words = findings.map(({ code }) => FAMILIES[code.split(".")[0] ?? ""] ?? code);
    return [...new Set(words)];
  }
  function firstWrong() {
    const position = index.findings.find((finding) => finding.refutes && finding.boundary >= 0)?.boundary ?? -1;
    const boundary = index.boundaries[position];
    return boundary && [boundaryTitle(boundary), position];
  }
  var refuted2 = index?.totals_of_findings.refuted.map((found) => new Set(found)) ?? [];
  var NONE2 = /* @__PURE__ */ new Set();
  function wrongIn(stage) {
    return refuted2[stage] ?? NONE2;
  }
  function lawWords(laws) {
    return WORDS.flatMap((word) => {
      const count = laws.filter((law) => law.status === word).length;
      return count > 0 ? [[word, count]] : [];
    });
  }

  // src/relation.tsx
  var opened = y3(-1);
  async function byId(list, id) {
    for await (const [start, rows] of chunksFrom(list)) {
      const at = rows.findIndex((row) => row.id === id);
      const relation = rows[at];
      if (relation) return { relation, position: start + at };
    }
    return void 0;
  }
  async function byPosition(list, position) {
    if (!(position < list.count)) return void 0;
    return { relation: await rowAt(list, position), position };
  }
  async function find(boundary, at, target2) {
    const list = boundary.relations;
    if (/^\d{1,9}$/.test(target2)) {
      const found = await byPosition(list, Number(target2));
      if (found?.relation.id) {
        const hinted2 = new Map([...route.value.options, ["at", String(found.position)]]);
        settle(address(["boundary", at, "r", found.relation.id], hinted2));
      }
      return found;
    }
    const hint = route.value.options.get("at") ?? "";
    const hinted = /^\d{1,9}$/.test(hint) ? await byPosition(list, Number(hint)) : void 0;
    return hinted?.relation.id === target2 ? hinted : byId(list, target2);
  }
  function lineageOnly(boundary, { id, transform }) {
    if (id) return `The contract in the bundle does not declare ${transform}.`;
    const declared = boundary.rules.some(({ id: id2 }) => id2 === transform);
    const why2 = declared ? `No examined relation of ${transform} makes this` : `No contract declares ${transform || "this transform"}`;
    return `${why2}: evidence of lineage only.`;
  }
  function RelationEvidence(of) {
    const answer = useAnswer(() => find(of.boundary, of.position, of.target), [of.boundary, of.target]);
    return /* @__PURE__ */ a4(Awaited, { answer, children: (found) => found ? /* @__PURE__ */ a4(Whole, { boundary: of.boundary, relation: found.relation, position: found.position }) : /* @__PURE__ */ a4(NotHere, { what: `relation ${of.target}` }) });
  }
  function Whole(whole) {
    const { boundary, relation, position } = whole;
    A2(() => {
      opened.value = position;
      return () => {
        opened.value = -1;
      };
    }, [position]);
    const rule = boundary.rules[relation.rule];
    const laws = rule ? rule.laws.flatMap((at) => boundary.laws[at] ?? []) : [];
    laws.sort((a5, b3) => Number(establishes(a5.status)) - Number(establishes(b3.status)));
    const claims = [...relation.claims].sort((a5, b3) => Number(establishes(a5.status)) - Number(establishes(b3.status)));
    return /* @__PURE__ */ a4($, { children: [
      /* @__PURE__ */ a4("h2", { tabIndex: -1, children: [
        rule ? rule.id : relation.transform || "no transform",
        " ",
        /* @__PURE__ */ a4("small", { children: relation.cardinality })
      ] }),
      /* @__PURE__ */ a4("p", { children: relation.status ? /* @__PURE__ */ a4(Status, { word: relation.status }) : lineageOnly(boundary, relation) }),
      rule ? /* @__PURE__ */ a4("p", { children: rule.rewrite }) : null,
      /* @__PURE__ */ a4(Ends, { boundary, relation }),
      /* @__PURE__ */ a4("h3", { children: [
        "Claims that were executed ",
        /* @__PURE__ */ a4("small", { children: grouped(String(claims.length)) })
      ] }),
      claims.length === 0 ? /* @__PURE__ */ a4("p", { class: "none", children: "none" }) : null,
      claims.map((claim) => /* @__PURE__ */ a4(ClaimEvidence, { claim })),
      /* @__PURE__ */ a4("h3", { children: [
        "Laws of the rule, over all that it is applied to ",
        /* @__PURE__ */ a4("small", { children: grouped(String(laws.length)) })
      ] }),
      laws.length === 0 ? /* @__PURE__ */ a4("p", { class: "none", children: "none at this boundary" }) : null,
      laws.map((law) => /* @__PURE__ */ a4("details", { class: "claim", open: !establishes(law.status), children: [
        /* @__PURE__ */ a4("summary", { children: [
          /* @__PURE__ */ a4(Status, { word: law.status }),
          " ",
          law.id,
          " ",
          /* @__PURE__ */ a4("small", { children: law.form })
        ] }),
        /* @__PURE__ */ a4(LawEvidence, { law })
      ] })),
      /* @__PURE__ */ a4(More, { title: "Raw mapping", children: /* @__PURE__ */ a4(RawMapping, { boundary, relation }) })
    ] });
  }
  function WrongSign({ stage, entities }) {
    const wrong = wrongIn(stage);
    if (!entities.some((entity) => wrong.has(entity))) return null;
    return /* @__PURE__ */ a4("span", { class: "wrong-sign", children: [
      /* @__PURE__ */ a4(Icon, { word: "refuted" }),
      /* @__PURE__ */ a4("span", { class: "hidden-text", children: "refuted: " })
    ] });
  }
  function Ends({ boundary, relation }) {
    return /* @__PURE__ */ a4($, { children: [
      /* @__PURE__ */ a4("h3", { children: stageTitle(boundary.source) }),
      /* @__PURE__ */ a4("p", { class: "expression", children: relation.sources.length > 0 || boundary.source < 0 ? /* @__PURE__ */ a4(Expression, { span: relation.source, stage: boundary.source }) : "generated: no source" }),
      /* @__PURE__ */ a4("h3", { children: stageTitle(boundary.target) }),
      relation.targets.map((group) => /* @__PURE__ */ a4("p", { class: "expression", children: [
        /* @__PURE__ */ a4(WrongSign, { stage: boundary.target, entities: group.entities }),
        /* @__PURE__ */ a4(Expression, { span: group.expression, stage: boundary.target }),
        group.entities.length > 1 ? /* @__PURE__ */ a4("small", { children: [
          " \xD7",
          grouped(String(group.entities.length))
        ] }) : null
      ] })),
      relation.missing.map((id) => /* @__PURE__ */ a4("p", { class: "missing", children: [
        /* @__PURE__ */ a4(Status, { word: "refuted" }),
        " not there: ",
        /* @__PURE__ */ a4("span", { class: "digest", children: id })
      ] }))
    ] });
  }
  var SHOWN = 100;
  function RawMapping({ boundary, relation }) {
    const targets = relation.targets.flatMap((group) => group.entities);
    const answer = useAnswer(async () => {
      const before = boundary.source < 0 ? [] : await namesOf(boundary.source);
      const after = await namesOf(boundary.target);
      const facts = [
        ...relation.sources.slice(0, SHOWN).map((at) => ({ name: before[at]?.[0] ?? "source", value: before[at]?.[2] ?? "" })),
        ...targets.slice(0, SHOWN).map((at) => ({ name: `\u2192 ${after[at]?.[0] ?? "target"}`, value: after[at]?.[2] ?? "" }))
      ];
      return facts;
    }, [relation]);
    return /* @__PURE__ */ a4($, { children: [
      /* @__PURE__ */ a4(Facts, { facts: [{ name: "relation", value: relation.id || "none" }, { name: "transform", value: relation.transform }], label: "Relation" }),
      /* @__PURE__ */ a4(Awaited, { answer, children: (facts) => /* @__PURE__ */ a4(Facts, { facts, label: "Raw mapping" }) }),
      relation.sources.length > SHOWN || targets.length > SHOWN ? /* @__PURE__ */ a4("p", { children: [
        "The first ",
        SHOWN,
        " of ",
        counted(relation.sources.length, "source"),
        " and of ",
        counted(targets.length, "target"),
        "."
      ] }) : null
    ] });
  }

  // src/theme.ts
  var KEY = "blueprint-explorer-theme";
  function remembered() {
    try {
      const held2 = localStorage.getItem(KEY);
      return held2 === "light" || held2 === "dark" ? held2 : "";
    } catch {
      return "";
    }
  }
  function system() {
    return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  }
  var theme = y3(remembered() || system());
  function show() {
    document.documentElement.dataset.theme = theme.value;
  }
  function turnTheme() {
    theme.value = theme.value === "dark" ? "light" : "dark";
    show();
    try {
      localStorage.setItem(KEY, theme.value);
    } catch {
    }
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    if (remembered()) return;
    theme.value = system();
    show();
  });
  show();

  // src/keyboard.ts
  var helping = y3(false);
  var KEYS = [
    ["/", "search names and ids"],
    ["?", "this help"],
    ["Esc", "close what is open at the side; the focus goes back to where it was opened, if that is still shown"],
    ["[ and ]", "the place before and after in the derivation"],
    ["o", "overview"],
    ["t", "light or dark"],
    ["j and k", "next and previous relation"],
    ["Arrow keys", "in the matrix: from entity to entity; in a list: up and down"],
    ["Home and End", "in the matrix: first and last of the row; with Ctrl: of the matrix"],
    ["Page Up, Page Down", "in the matrix: up and down by five rows"],
    ["Enter", "open"],
    ["Tab", "to the next control"]
  ];
  var opener = null;
  function openedFrom(element) {
    if (element instanceof HTMLElement && !element.closest("aside")) opener = element;
  }
  function closed() {
    const { path } = route.value;
    if (path.length <= 2) return withOptions({ g: "", q: "" });
    return address(path.slice(0, 2), [...route.value.options].filter(([name]) => name !== "g" && name !== "q"));
  }
  function close() {
    const back = opener;
    go(closed());
    opener = null;
    setTimeout(() => {
      const target2 = back?.isConnected ? back : document.querySelector("main h1");
      target2?.focus();
    });
  }
  function places() {
    const found = [address([])];
    const seen = /* @__PURE__ */ new Set();
    for (const slots of index.slots) {
      for (const slot of slots) {
        const stage = index.stages[slot];
        if (!stage || seen.has(slot)) continue;
        seen.add(slot);
        const before = index.boundaries.findIndex((boundary) => boundary.target === slot);
        if (before >= 0) found.push(address(["boundary", before]));
        found.push(address(["stage", slug(stage)]));
      }
    }
    return found;
  }
  function step(by) {
    const all = places();
    const here = all.indexOf(address(route.value.path.slice(0, 2)));
    const next = all[Math.min(all.length - 1, Math.max(0, here + by))];
    if (next) go(next);
  }
  function typing(target2) {
    return target2 instanceof HTMLElement && target2.matches("input, select, textarea");
  }
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.key === "Escape") {
      if (!helping.value) close();
      return;
    }
    if (typing(event.target) || helping.value) return;
    const act = ACTIONS[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  var ACTIONS = {
    "/": () => document.querySelector("#search")?.focus(),
    "?": () => helping.value = true,
    "[": () => step(-1),
    "]": () => step(1),
    o: () => go(address([])),
    t: turnTheme,
    j: () => neighbour(1),
    k: () => neighbour(-1)
  };
  function neighbour(by) {
    const links = [...document.querySelectorAll("a.relation-link")];
    const at = links.findIndex((link) => link === document.activeElement || link.ariaCurrent === "true");
    const next = links[at < 0 ? 0 : at + by];
    next?.focus();
    next?.scrollIntoView({ block: "nearest" });
  }
  function moveInList(event) {
    const list = event.currentTarget;
    const entries = [...list.querySelectorAll("[data-entry]")];
    const at = entries.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: entries.length - 1 }[event.key];
    const entry = to === void 0 ? void 0 : entries[to];
    if (!entry) return;
    event.preventDefault();
    for (const each of entries) each.tabIndex = each === entry ? 0 : -1;
    entry.focus();
  }

  // src/print.ts
  var PRINTED = 500;
  var printing = y3(false);
  function printedOf(count) {
    return `${grouped(String(Math.min(PRINTED, count)))} of ${grouped(String(count))}`;
  }
  function atOnce(change) {
    const before = n.debounceRendering;
    n.debounceRendering = (draw) => draw();
    change();
    n.debounceRendering = before;
  }
  addEventListener("beforeprint", () => atOnce(() => printing.value = true));
  addEventListener("afterprint", () => atOnce(() => printing.value = false));

  // src/window.ts
  var MOUNTED = 200;
  var BEYOND = 600;
  function useWindow(table, count, estimate, key) {
    const heights = T2({ key: "", of: new Float64Array(0) });
    if (heights.current.key !== key || heights.current.of.length !== count) {
      heights.current = { key, of: new Float64Array(count).fill(estimate) };
    }
    const of = heights.current.of;
    const [offset, move] = d2(0);
    const shown = printing.value ? { ...windowAt(of, 0), start: 0, end: Math.min(count, PRINTED) } : windowAt(of, offset);
    A2(() => {
      let frame = 0;
      const follow2 = () => {
        frame = 0;
        const top = table.current?.getBoundingClientRect().top ?? 0;
        move(Math.max(0, -top));
      };
      const schedule = () => {
        frame ||= requestAnimationFrame(follow2);
      };
      follow2();
      addEventListener("scroll", schedule, { passive: true });
      addEventListener("resize", schedule, { passive: true });
      return () => {
        cancelAnimationFrame(frame);
        removeEventListener("scroll", schedule);
        removeEventListener("resize", schedule);
      };
    }, [key, count]);
    F2(() => {
      for (const row of table.current?.querySelectorAll("[data-row]") ?? []) {
        const at = Number(row.dataset.row);
        if (at < of.length) of[at] = row.offsetHeight || estimate;
      }
    });
    const reveal = (row) => {
      const top = (table.current?.getBoundingClientRect().top ?? 0) + scrollY;
      scrollTo({ top: top + sum(of, 0, row) - innerHeight / 3 });
    };
    return { window: shown, reveal };
  }
  function sum(heights, from, to) {
    let total = 0;
    for (let at = from; at < to; at += 1) total += heights[at] ?? 0;
    return total;
  }
  function windowAt(heights, offset) {
    const from = offset - BEYOND;
    const to = offset + innerHeight + BEYOND;
    let start = 0;
    let above = 0;
    while (start < heights.length && above + (heights[start] ?? 0) < from) {
      above += heights[start] ?? 0;
      start += 1;
    }
    let end = start;
    let reach = above;
    while (end < heights.length && reach < to && end - start < MOUNTED) {
      reach += heights[end] ?? 0;
      end += 1;
    }
    return { start, end, above, below: sum(heights, end, heights.length) };
  }
  function positionsOf(window2) {
    return Array.from({ length: window2.end - window2.start }, (_4, at) => window2.start + at);
  }

  // src/relations.tsx
  var ROW = 60;
  var NO_RULE = "lineage only";
  function Relations({ boundary, position, detail }) {
    const options = route.value.options;
    const choice = {
      rule: options.get("rule") ?? "",
      status: options.get("status") ?? "",
      cardinality: options.get("card") ?? ""
    };
    const chosen2 = useChosen(boundary, choice);
    return /* @__PURE__ */ a4("div", { class: "relations", children: [
      /* @__PURE__ */ a4("div", { class: "relations-head", children: [
        /* @__PURE__ */ a4(Filters, { boundary, choice }),
        /* @__PURE__ */ a4(Legend, {})
      ] }),
      chosen2.state === "failed" ? /* @__PURE__ */ a4(Notice, { children: chosen2.why }) : null,
      /* @__PURE__ */ a4("p", { class: "count", role: "status", children: [
        choice.rule || choice.status || choice.cardinality ? `${grouped(String(chosen2.positions.length))} of ${counted(boundary.relations.count, "relation")}` : counted(boundary.relations.count, "relation"),
        chosen2.state === "reading" ? `, ${grouped(String(chosen2.read))} read so far` : "",
        printing.value ? ` (printed ${printedOf(chosen2.positions.length)})` : ""
      ] }),
      /* @__PURE__ */ a4(
        Table,
        {
          boundary,
          position,
          positions: chosen2.positions,
          detail,
          name: `${position} ${choice.rule} ${choice.status} ${choice.cardinality}`
        }
      )
    ] });
  }
  function useChosen(boundary, choice) {
    const [from, to] = w2(() => rangeOf(boundary, choice.rule), [boundary, choice.rule]);
    const all = w2(() => Array.from({ length: Math.max(0, to - from) }, (_4, at) => from + at), [from, to]);
    const plain = choice.status === "" && choice.cardinality === "";
    const key = `${from} ${to} ${choice.status} ${choice.cardinality}`;
    const [found, hold2] = d2({ key: "", state: "reading", positions: [], read: 0, why: "" });
    A2(() => {
      if (plain) return void 0;
      let wanted = true;
      const positions = [];
      const read4 = async () => {
        for await (const [start, rows] of chunksFrom(boundary.relations, from)) {
          if (!wanted || start >= to) break;
          rows.forEach((row, at) => {
            const position = start + at;
            const fits = position >= from && position < to;
            const status = choice.status === "" || row.status === choice.status;
            const cardinality = choice.cardinality === "" || row.cardinality === choice.cardinality;
            if (fits && status && cardinality) positions.push(position);
          });
          const read5 = Math.min(to, start + rows.length) - from;
          if (wanted) hold2({ key, state: "reading", positions: [...positions], read: read5, why: "" });
        }
      };
      const settle2 = (state, reason) => {
        if (wanted) hold2({ key, state, positions: [...positions], read: to - from, why: reason });
      };
      read4().then(
        () => settle2("whole", ""),
        (error) => settle2("failed", why(error))
      );
      return () => {
        wanted = false;
      };
    }, [boundary, key]);
    if (plain) return { state: "whole", positions: all, read: all.length, why: "" };
    return found.key === key ? found : { state: "reading", positions: [], read: 0, why: "" };
  }
  function rangeOf(boundary, rule) {
    if (rule === "") return [0, boundary.relations.count];
    let start = 0;
    for (const row of boundary.rules) {
      if (row.id === rule && row.relations > 0) return [start, start + row.relations];
      start += row.relations;
    }
    return rule === NO_RULE ? [start, boundary.relations.count] : [0, 0];
  }
  function ruleAt(boundary, position) {
    let start = 0;
    return position < 0 ? -1 : boundary.rules.findIndex((row) => {
      start += row.relations;
      return position < start;
    });
  }
  function Filters({ boundary, choice }) {
    const used = boundary.rules.filter((rule) => rule.relations > 0);
    const rules = boundary.undeclared ? [...used.map(({ id }) => id), NO_RULE] : used.map(({ id }) => id);
    return /* @__PURE__ */ a4("div", { class: "filters", role: "group", "aria-label": "Filters", children: [
      /* @__PURE__ */ a4(Select, { label: "rule", option: "rule", chosen: choice.rule, values: rules }),
      /* @__PURE__ */ a4(Select, { label: "status", option: "status", chosen: choice.status, values: boundary.claims.map(({ word }) => word) }),
      /* @__PURE__ */ a4(
        Select,
        {
          label: "cardinality",
          option: "card",
          chosen: choice.cardinality,
          values: boundary.cardinality.map(({ cardinality }) => cardinality)
        }
      ),
      choice.rule || choice.status || choice.cardinality ? /* @__PURE__ */ a4("a", { href: withOptions({ rule: "", status: "", card: "" }), children: "all relations" }) : null
    ] });
  }
  function Select(select) {
    const change = (event) => {
      settle(withOptions({ [select.option]: event.currentTarget.value }));
    };
    return /* @__PURE__ */ a4("label", { children: [
      select.label,
      " ",
      /* @__PURE__ */ a4("select", { onChange: change, value: select.chosen, children: [
        /* @__PURE__ */ a4("option", { value: "", children: "any" }),
        select.values.map((value) => /* @__PURE__ */ a4("option", { value, children: value }))
      ] })
    ] });
  }
  function Table(table) {
    const { boundary, position, positions } = table;
    const self = T2(null);
    const { window: window2, reveal } = useWindow(self, positions.length, ROW, `${table.name} ${table.detail}`);
    const mounted = positionsOf(window2).map((at) => positions[at] ?? 0);
    const rows = useRows(boundary.relations, mounted);
    const open = opened.value;
    const brought = T2(-1);
    A2(() => {
      if (brought.current === open) return;
      const at = positions.indexOf(open);
      if (at < 0) brought.current = open;
      else if (at < window2.start || at >= window2.end) reveal(at);
      else if (rows.get(open)?.state === "here") {
        self.current?.querySelector(".open")?.scrollIntoView({ block: "center" });
        brought.current = open;
      }
    });
    return /* @__PURE__ */ a4("table", { class: "lowering", ref: self, "aria-rowcount": positions.length + 1, children: [
      /* @__PURE__ */ a4("caption", { class: "hidden-text", children: "Source, pass and target of each relation" }),
      /* @__PURE__ */ a4("thead", { children: /* @__PURE__ */ a4("tr", { "aria-rowindex": 1, children: [
        /* @__PURE__ */ a4("th", { scope: "col", children: "Source" }),
        /* @__PURE__ */ a4("th", { scope: "col", children: "Pass" }),
        /* @__PURE__ */ a4("th", { scope: "col", children: "Target" })
      ] }) }),
      /* @__PURE__ */ a4(Spacer, { height: window2.above }),
      mounted.map((at, index2) => /* @__PURE__ */ a4(
        Rows,
        {
          first: ruleAt(boundary, at) !== ruleAt(boundary, positions[window2.start + index2 - 1] ?? -1),
          answer: rows.get(at),
          boundary,
          position,
          relation: at,
          row: window2.start + index2,
          open: at === open,
          detail: table.detail
        },
        at
      )),
      /* @__PURE__ */ a4(Spacer, { height: window2.below })
    ] });
  }
  function Spacer({ height }) {
    if (height === 0) return null;
    return /* @__PURE__ */ a4("tbody", { "aria-hidden": "true", children: /* @__PURE__ */ a4("tr", { children: /* @__PURE__ */ a4("td", { colSpan: 3, class: "spacer", style: { height: `${height}px` } }) }) });
  }
  function Rows(rows) {
    const { answer, boundary } = rows;
    if (answer?.state !== "here") {
      return /* @__PURE__ */ a4("tbody", { "data-row": rows.row, children: /* @__PURE__ */ a4("tr", { "aria-rowindex": rows.row + 2, class: "unread", children: /* @__PURE__ */ a4("td", { colSpan: 3, children: answer?.state === "failed" ? /* @__PURE__ */ a4("span", { role: "alert", children: answer.why }) : "Reading\u2026" }) }) });
    }
    const value = answer.value;
    const groups = value.targets.length;
    const span = Math.max(1, groups);
    return /* @__PURE__ */ a4("tbody", { "data-row": rows.row, class: rows.open ? "open" : "", children: Array.from({ length: span }, (_4, at) => /* @__PURE__ */ a4("tr", { "aria-rowindex": at === 0 ? rows.row + 2 : void 0, children: [
      at === 0 ? /* @__PURE__ */ a4($, { children: [
        /* @__PURE__ */ a4("td", { rowSpan: span, children: value.sources.length === 0 && value.source.parts.length === 0 ? /* @__PURE__ */ a4("span", { class: "none", children: "generated" }) : /* @__PURE__ */ a4(Expression, { span: value.source, stage: boundary.source }) }),
        /* @__PURE__ */ a4("td", { rowSpan: span, children: /* @__PURE__ */ a4(PassCell, { value, ...rows }) })
      ] }) : null,
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(TargetCell, { value, at, stage: boundary.target }) })
    ] })) });
  }
  function TargetCell({ value, at, stage }) {
    const group = value.targets[at];
    const missing = at === Math.max(0, value.targets.length - 1) ? value.missing : [];
    return /* @__PURE__ */ a4($, { children: [
      group ? /* @__PURE__ */ a4(WrongSign, { stage, entities: group.entities }) : null,
      group ? /* @__PURE__ */ a4(Expression, { span: group.expression, stage }) : null,
      group && group.entities.length > 1 ? /* @__PURE__ */ a4("small", { children: [
        " \xD7",
        grouped(String(group.entities.length))
      ] }) : null,
      !group && missing.length === 0 ? /* @__PURE__ */ a4("span", { class: "none", children: "nothing" }) : null,
      missing.map((id) => /* @__PURE__ */ a4("p", { class: "missing", children: [
        /* @__PURE__ */ a4(Status, { word: "refuted" }),
        " not there: ",
        /* @__PURE__ */ a4("span", { class: "digest", children: id })
      ] }))
    ] });
  }
  function PassCell(cell) {
    const { value, boundary, position, relation } = cell;
    const rule = boundary.rules[value.rule];
    const options = new Map([...route.value.options].filter(([name]) => name !== "at"));
    return /* @__PURE__ */ a4($, { children: [
      /* @__PURE__ */ a4(
        "a",
        {
          class: "relation-link",
          href: address(["boundary", position, "r", relation], options),
          "aria-current": cell.open ? "true" : void 0,
          onClick: (event) => openedFrom(event.currentTarget),
          children: [
            value.status ? /* @__PURE__ */ a4(Status, { word: value.status }) : /* @__PURE__ */ a4("span", { class: "status tone-none", children: "lineage only" }),
            /* @__PURE__ */ a4("span", { class: "hidden-text", children: [
              " evidence of relation ",
              relation + 1
            ] })
          ]
        }
      ),
      " ",
      /* @__PURE__ */ a4(Expression, { span: value.passed, stage: -1 }),
      rule ? /* @__PURE__ */ a4("p", { class: cell.first || cell.open ? "support" : "support repeated", children: [
        /* @__PURE__ */ a4("bdi", { children: rule.signature }),
        /* @__PURE__ */ a4("br", {}),
        /* @__PURE__ */ a4("bdi", { children: rule.rewrite })
      ] }) : /* @__PURE__ */ a4("p", { class: "support", children: lineageOnly(boundary, value) }),
      cell.detail ? /* @__PURE__ */ a4(Claims, { value }) : null
    ] });
  }
  function Claims({ value }) {
    return /* @__PURE__ */ a4($, { children: [
      value.id ? /* @__PURE__ */ a4("p", { class: "digest", children: value.id }) : null,
      /* @__PURE__ */ a4("ul", { class: "claims", children: value.claims.map((claim) => /* @__PURE__ */ a4("li", { children: [
        /* @__PURE__ */ a4(Status, { word: claim.status }),
        " ",
        claim.kind
      ] })) })
    ] });
  }

  // src/side.tsx
  function Side(side) {
    const self = T2(null);
    const here = route.value.path.join("/");
    A2(() => {
      self.current?.scrollTo(0, 0);
      if (document.activeElement?.closest(".board, .relations, .findings")) self.current?.focus();
    }, [here, route.value.options.get("g")]);
    return /* @__PURE__ */ a4("aside", { class: "side", "aria-label": side.label, tabIndex: -1, ref: self, children: [
      /* @__PURE__ */ a4("p", { class: "side-head", children: [
        side.back ? /* @__PURE__ */ a4("a", { href: side.back[1], children: [
          "\u2190 ",
          side.back[0]
        ] }) : /* @__PURE__ */ a4("span", { children: side.label }),
        /* @__PURE__ */ a4("a", { href: closed(), "aria-label": "Close", title: "Close (Esc)", children: "\xD7" })
      ] }),
      side.children
    ] });
  }

  // src/boundary.tsx
  function BoundaryView({ name, kind, target: target2 }) {
    const position = /^\d{1,4}$/.test(name) ? Number(name) : -1;
    const boundary = index.boundaries[position];
    if (!boundary) return /* @__PURE__ */ a4(NoView, { what: `boundary ${name}` });
    return /* @__PURE__ */ a4($, { children: [
      /* @__PURE__ */ a4("main", { class: "view", tabIndex: -1, children: [
        /* @__PURE__ */ a4(Head, { boundary, position }),
        /* @__PURE__ */ a4(Findings, { position }),
        /* @__PURE__ */ a4(OpenLaws, { boundary, position }),
        /* @__PURE__ */ a4(Forms, {}),
        /* @__PURE__ */ a4(Coverage, { boundary }),
        /* @__PURE__ */ a4(Form, { boundary, position })
      ] }),
      /* @__PURE__ */ a4(Beside, { boundary, position, kind, target: target2 })
    ] });
  }
  function Head({ boundary, position }) {
    return /* @__PURE__ */ a4("header", { class: "view-head", children: [
      /* @__PURE__ */ a4("h1", { tabIndex: -1, children: [
        boundaryTitle(boundary),
        " ",
        /* @__PURE__ */ a4("small", { children: boundary.name })
      ] }),
      /* @__PURE__ */ a4("ul", { class: "badges", children: [
        /* @__PURE__ */ a4("li", { children: /* @__PURE__ */ a4(Status, { word: standingOf(boundary, position) }) }),
        /* @__PURE__ */ a4("li", { children: boundary.relation_verified ? "relation verified" : "relations not verified" }),
        /* @__PURE__ */ a4("li", { children: [
          "canonical-conformant: ",
          boundary.canonical_conformant
        ] }),
        boundary.structural_only ? /* @__PURE__ */ a4("li", { children: "structural only: it changed nothing" }) : null
      ] }),
      /* @__PURE__ */ a4("div", { class: "tallies", children: [
        /* @__PURE__ */ a4("p", { class: "counts", children: [
          /* @__PURE__ */ a4("span", { children: "Claims:" }),
          boundary.claims.map(({ word, count }) => /* @__PURE__ */ a4(Status, { word, count: grouped(count) }))
        ] }),
        /* @__PURE__ */ a4("p", { class: "counts law-counts", children: [
          /* @__PURE__ */ a4("span", { children: "Laws:" }),
          boundary.laws.length === 0 ? /* @__PURE__ */ a4("span", { class: "none", children: examined(boundary) ? "none" : "not examined" }) : null,
          lawWords(boundary.laws).map(([word, count]) => /* @__PURE__ */ a4(Status, { word, count: grouped(String(count)) }))
        ] })
      ] })
    ] });
  }
  var FAULTS = /* @__PURE__ */ new Set(["missing", "dangling", "undeclared", "mismatched"]);
  function Coverage({ boundary }) {
    return /* @__PURE__ */ a4("section", { class: "coverage", "aria-label": "Accounted for", children: [
      /* @__PURE__ */ a4("ul", { class: "tiles", children: [
        /* @__PURE__ */ a4("li", { children: [
          /* @__PURE__ */ a4("b", { children: "Accounted for:" }),
          " ",
          !examined(boundary) ? "not examined" : boundary.exact ? "everything, once" : "not everything, or not once"
        ] }),
        boundary.coverage.map(({ name, value }) => /* @__PURE__ */ a4("li", { class: value === "0" ? "zero" : "", children: [
          FAULTS.has(name) && value !== "0" ? /* @__PURE__ */ a4(Icon, { word: "refuted" }) : null,
          " ",
          /* @__PURE__ */ a4("b", { class: "number", children: grouped(value) }),
          " ",
          /* @__PURE__ */ a4("span", { children: name })
        ] })),
        boundary.cardinality.map(({ cardinality, count }) => /* @__PURE__ */ a4("li", { children: /* @__PURE__ */ a4("a", { href: withOptions({ card: cardinality, form: "" }), children: [
          /* @__PURE__ */ a4("b", { class: "number", children: grouped(String(count)) }),
          " ",
          /* @__PURE__ */ a4("span", { children: cardinality })
        ] }) }))
      ] }),
      /* @__PURE__ */ a4("p", { class: "support", children: [
        "host duration: ",
        boundary.duration
      ] })
    ] });
  }
  var FORMS = [
    ["", "Lowering"],
    ["short", "Short form"],
    ["detail", "Detailed form"],
    ["laws", "Laws"],
    ["audit", "Audit"]
  ];
  function Forms() {
    const chosen2 = route.value.options.get("form") ?? "";
    return /* @__PURE__ */ a4(
      Choice,
      {
        label: "Form",
        chosen: chosen2,
        options: FORMS.map(([name, title]) => [name, title, withOptions({ form: name })])
      }
    );
  }
  function Form({ boundary, position }) {
    const form = route.value.options.get("form") ?? "";
    switch (form) {
      case "":
        return /* @__PURE__ */ a4(Relations, { boundary, position, detail: false });
      case "short":
        return /* @__PURE__ */ a4($, { children: [
          /* @__PURE__ */ a4(Promises, { facts: boundary.short }),
          /* @__PURE__ */ a4(Rules, { boundary, detail: false })
        ] });
      case "detail":
        return /* @__PURE__ */ a4($, { children: [
          /* @__PURE__ */ a4(Promises, { facts: boundary.detail }),
          /* @__PURE__ */ a4(Rules, { boundary, detail: true }),
          /* @__PURE__ */ a4(Part, { title: "Lineage evidence", note: "every relation with its claims", children: /* @__PURE__ */ a4(Relations, { boundary, position, detail: true }) })
        ] });
      case "laws":
        return /* @__PURE__ */ a4(Laws, { boundary, position });
      case "audit":
        return /* @__PURE__ */ a4(Audit, { boundary });
      default:
        return /* @__PURE__ */ a4(NotHere, { what: `form ${form}` });
    }
  }
  function Findings({ position }) {
    const findings = findingsAt(position);
    const all = countAt(position);
    if (all === 0) return null;
    const wrong = firstWrong();
    const follow2 = wrong && wrong[1] !== position && findings.length > 0 && findings.every((finding) => finding.weight !== "first");
    return /* @__PURE__ */ a4(Part, { title: "Findings here", note: grouped(String(all)), children: [
      follow2 ? /* @__PURE__ */ a4("p", { class: "follow", children: [
        "They may follow from what is wrong before: mend ",
        /* @__PURE__ */ a4("a", { href: address(["boundary", wrong[1]]), children: wrong[0] }),
        " first."
      ] }) : null,
      /* @__PURE__ */ a4(FindingList, { findings: findings.slice(0, FINDINGS) }),
      findings.length > FINDINGS ? /* @__PURE__ */ a4(More, { title: `${grouped(String(findings.length - FINDINGS))} more`, children: /* @__PURE__ */ a4(FindingList, { findings: findings.slice(FINDINGS) }) }) : null,
      all > findings.length ? /* @__PURE__ */ a4("p", { class: "support", children: [
        grouped(String(findings.length)),
        " of ",
        counted(all, "finding"),
        " here stand on this page; the report has them all."
      ] }) : null
    ] });
  }
  var FINDINGS = 1;
  function Promises({ facts }) {
    const words = facts.filter(({ value }) => !isDigest(value));
    const digests = facts.filter(({ value }) => isDigest(value));
    return /* @__PURE__ */ a4(Part, { title: "What the pass promises", children: [
      /* @__PURE__ */ a4("dl", { class: "promises", children: words.map(({ name, value }) => /* @__PURE__ */ a4("div", { children: [
        /* @__PURE__ */ a4("dt", { children: name }),
        /* @__PURE__ */ a4("dd", { children: /* @__PURE__ */ a4("bdi", { children: value }) })
      ] })) }),
      digests.length > 0 ? /* @__PURE__ */ a4("dl", { class: "promises digests", children: digests.map(({ name, value }) => /* @__PURE__ */ a4("div", { children: [
        /* @__PURE__ */ a4("dt", { children: name }),
        /* @__PURE__ */ a4("dd", { children: /* @__PURE__ */ a4(Digest, { text: value }) })
      ] })) }) : null
    ] });
  }
  function Rules({ boundary, detail }) {
    if (boundary.rules.length === 0) return null;
    return /* @__PURE__ */ a4(Part, { title: "Rules", note: `as ${boundary.name} declares them`, children: /* @__PURE__ */ a4("div", { class: "wide", children: /* @__PURE__ */ a4("table", { class: "rows", children: [
      /* @__PURE__ */ a4("thead", { children: /* @__PURE__ */ a4("tr", { children: [
        /* @__PURE__ */ a4("th", { scope: "col", children: "rule" }),
        /* @__PURE__ */ a4("th", { scope: "col", children: "signature and rewrite" }),
        detail ? /* @__PURE__ */ a4("th", { scope: "col", children: "claims" }) : null,
        /* @__PURE__ */ a4("th", { scope: "col", class: "number", children: "relations" }),
        /* @__PURE__ */ a4("th", { scope: "col", children: "weakest" })
      ] }) }),
      /* @__PURE__ */ a4("tbody", { children: boundary.rules.map((rule) => /* @__PURE__ */ a4("tr", { children: [
        /* @__PURE__ */ a4("th", { scope: "row", children: rule.relations > 0 ? /* @__PURE__ */ a4("a", { href: withOptions({ rule: rule.id, form: "" }), children: rule.id }) : rule.id }),
        /* @__PURE__ */ a4("td", { children: [
          /* @__PURE__ */ a4("bdi", { children: rule.signature }),
          /* @__PURE__ */ a4("p", { class: "support", children: /* @__PURE__ */ a4("bdi", { children: rule.rewrite }) })
        ] }),
        detail ? /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(Semantics, { rule }) }) : null,
        /* @__PURE__ */ a4("td", { class: "number", children: grouped(String(rule.relations)) }),
        /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(Status, { word: rule.status }) })
      ] })) })
    ] }) }) });
  }
  function Semantics({ rule }) {
    const parts = [
      ["preserves", rule.preserves],
      ["introduces", rule.introduces],
      ["forbids", rule.forbids]
    ];
    return /* @__PURE__ */ a4("dl", { class: "semantics", children: [
      /* @__PURE__ */ a4("dt", { children: "lineage" }),
      /* @__PURE__ */ a4("dd", { children: rule.lineage }),
      parts.map(([name, claims]) => /* @__PURE__ */ a4($, { children: [
        /* @__PURE__ */ a4("dt", { children: name }),
        /* @__PURE__ */ a4("dd", { children: claims.join(", ") || "nothing" })
      ] }))
    ] });
  }
  function lawRank({ status }) {
    if (status === "not-applicable") return 2;
    return establishes(status) ? 1 : 0;
  }
  function Laws({ boundary, position }) {
    const laws = boundary.laws.map((law, at) => [law, at]).sort(([a5], [b3]) => lawRank(a5) - lawRank(b3));
    return /* @__PURE__ */ a4(Part, { title: "Laws", note: counted(laws.length, "form"), children: [
      laws.length === 0 ? /* @__PURE__ */ a4("p", { class: "none", children: examined(boundary) ? "none at this boundary" : "not examined" }) : null,
      /* @__PURE__ */ a4("div", { class: "wide", children: /* @__PURE__ */ a4("table", { class: "rows laws", children: [
        /* @__PURE__ */ a4("caption", { class: "hidden-text", children: "Laws, those that do not hold first" }),
        /* @__PURE__ */ a4("tbody", { children: laws.map(([law, at]) => /* @__PURE__ */ a4("tr", { children: [
          /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(Status, { word: law.status }) }),
          /* @__PURE__ */ a4("th", { scope: "row", children: /* @__PURE__ */ a4(LawLink, { law, position, at }) }),
          /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4("bdi", { children: law.statement }) })
        ] })) })
      ] }) })
    ] });
  }
  function OpenLaws({ boundary, position }) {
    const open = boundary.laws.flatMap(
      (law, at) => establishes(law.status) || law.status === "not-applicable" ? [] : [[law, at]]
    );
    if (open.length === 0) return null;
    return /* @__PURE__ */ a4("p", { class: "open-laws", children: [
      /* @__PURE__ */ a4("span", { children: "Laws that do not hold:" }),
      open.map(([law, at]) => /* @__PURE__ */ a4("span", { children: [
        /* @__PURE__ */ a4(Icon, { word: law.status }),
        " ",
        /* @__PURE__ */ a4(LawLink, { law, position, at })
      ] }))
    ] });
  }
  function LawLink({ law, position, at }) {
    return /* @__PURE__ */ a4("a", { href: address(["boundary", position, "l", at], route.value.options), children: [
      law.id,
      " ",
      law.form
    ] });
  }
  function Audit({ boundary }) {
    return /* @__PURE__ */ a4(Part, { title: "Audit", note: "the whole contract; the stable ids of a relation stand beside it, under \u201CRaw mapping\u201D", children: [
      /* @__PURE__ */ a4(Facts, { facts: boundary.detail, label: "Contract" }),
      boundary.rules.map((rule) => /* @__PURE__ */ a4("section", { class: "audit-rule", "aria-label": rule.id, children: [
        /* @__PURE__ */ a4("h3", { children: rule.id }),
        /* @__PURE__ */ a4("p", { children: /* @__PURE__ */ a4("bdi", { children: rule.signature }) }),
        /* @__PURE__ */ a4("p", { class: "support", children: /* @__PURE__ */ a4("bdi", { children: rule.rewrite }) }),
        /* @__PURE__ */ a4(Semantics, { rule })
      ] }))
    ] });
  }
  function Beside(beside) {
    const { boundary, position, kind, target: target2 } = beside;
    if (kind === "r") {
      return /* @__PURE__ */ a4(Side, { label: `Relation, ${stageTitle(boundary.target)}`, children: /* @__PURE__ */ a4(RelationEvidence, { boundary, position, target: target2 }) });
    }
    if (kind === "l") {
      const law = /^\d{1,6}$/.test(target2) ? boundary.laws[Number(target2)] : void 0;
      return /* @__PURE__ */ a4(Side, { label: "Law", children: law ? /* @__PURE__ */ a4($, { children: [
        /* @__PURE__ */ a4("h2", { tabIndex: -1, children: [
          law.id,
          " ",
          /* @__PURE__ */ a4("small", { children: law.form })
        ] }),
        /* @__PURE__ */ a4(FindingNotes, { findings: findingsAt(position).filter((finding) => finding.law === Number(target2)) }),
        /* @__PURE__ */ a4(LawEvidence, { law }),
        /* @__PURE__ */ a4(Instances, { obligations: law.obligations })
      ] }) : /* @__PURE__ */ a4(NotHere, { what: `law ${target2}` }) });
    }
    if (kind) return /* @__PURE__ */ a4(Side, { label: "Unknown", children: /* @__PURE__ */ a4(NotHere, { what: `${kind} ${target2}` }) });
    return null;
  }
  var READ = 200;
  var LISTED = 10;
  async function instancesOf(obligations) {
    const read4 = obligations.slice(0, READ).map(async (at) => {
      const { verdict } = await rowAt(index.obligations, at);
      return { at, verdict };
    });
    const found = await Promise.all(read4);
    return found.sort((a5, b3) => Number(establishes(a5.verdict)) - Number(establishes(b3.verdict)));
  }
  function Instances({ obligations }) {
    const answer = useAnswer(() => instancesOf(obligations), [obligations]);
    return /* @__PURE__ */ a4($, { children: [
      /* @__PURE__ */ a4("h3", { children: [
        "Instances ",
        /* @__PURE__ */ a4("small", { children: grouped(String(obligations.length)) })
      ] }),
      /* @__PURE__ */ a4(Awaited, { answer, children: (instances) => instances.slice(0, LISTED).map(({ at, verdict }, first) => /* @__PURE__ */ a4("details", { class: "claim", open: first === 0, children: [
        /* @__PURE__ */ a4("summary", { children: [
          /* @__PURE__ */ a4(Status, { word: verdict }),
          " obligation ",
          grouped(String(at))
        ] }),
        /* @__PURE__ */ a4(ObligationAt, { position: at })
      ] }, at)) }),
      obligations.length > LISTED ? /* @__PURE__ */ a4("p", { children: [
        "and ",
        counted(obligations.length - LISTED, "more instance")
      ] }) : null
    ] });
  }

  // src/chain.tsx
  function Chain() {
    const self = T2(null);
    const here = route.value.path[0] === void 0;
    A2(() => {
      const chain = self.current;
      const link = chain?.querySelector("[aria-current]");
      if (chain && link) chain.scrollLeft = link.offsetLeft - (chain.clientWidth - link.offsetWidth) / 2;
    }, [route.value.path.slice(0, 2).join("/")]);
    return /* @__PURE__ */ a4("nav", { class: "chain", "aria-label": "Derivation", ref: self, children: [
      /* @__PURE__ */ a4("p", { class: "slot", children: /* @__PURE__ */ a4("a", { href: address([]), "aria-current": here ? "page" : void 0, children: "Overview" }) }),
      /* @__PURE__ */ a4("div", { children: index.slots.map((slots, branch) => /* @__PURE__ */ a4(Branch, { name: index.branches[branch] ?? "", slots })) })
    ] });
  }
  function Branch({ name, slots }) {
    const [view, place] = route.value.path;
    return /* @__PURE__ */ a4("ol", { "aria-label": name || void 0, children: [
      name ? /* @__PURE__ */ a4("li", { class: "branch", children: name }) : null,
      slots.map((slot) => {
        const stage = index.stages[slot];
        if (!stage) return null;
        const before = index.boundaries.findIndex((boundary) => boundary.target === slot);
        return /* @__PURE__ */ a4($, { children: [
          /* @__PURE__ */ a4(Arrow, { boundary: before, here: view === "boundary" && place === String(before) }),
          /* @__PURE__ */ a4(Slot, { stage, here: view === "stage" && place === slug(stage) })
        ] });
      })
    ] });
  }
  function Slot({ stage, here }) {
    return /* @__PURE__ */ a4("li", { class: "slot", children: /* @__PURE__ */ a4(
      "a",
      {
        href: address(["stage", slug(stage)]),
        class: stage.unavailable ? "unavailable" : "",
        "aria-current": here ? "page" : void 0,
        children: [
          /* @__PURE__ */ a4("b", { children: stage.title }),
          /* @__PURE__ */ a4("small", { children: stage.unavailable ? "unavailable" : `${grouped(String(stage.entities.count))} entities` })
        ]
      }
    ) });
  }
  function Arrow({ boundary, here }) {
    const row = index.boundaries[boundary];
    if (!row) return /* @__PURE__ */ a4("li", { class: "arrow none", "aria-hidden": "true" });
    const word = standingOf(row, boundary);
    const name = `${stageTitle(row.source)} to ${stageTitle(row.target)}, ${row.name}: ${word}`;
    return /* @__PURE__ */ a4("li", { class: "arrow", children: /* @__PURE__ */ a4("a", { href: address(["boundary", boundary]), "aria-current": here ? "page" : void 0, "aria-label": name, title: name, children: [
      /* @__PURE__ */ a4(Icon, { word }),
      /* @__PURE__ */ a4("span", { "aria-hidden": "true", children: "\u2192" })
    ] }) });
  }

  // src/help.tsx
  function Help() {
    const dialog = T2(null);
    A2(() => {
      if (helping.value) dialog.current?.showModal();
      else dialog.current?.close();
    }, [helping.value]);
    return /* @__PURE__ */ a4("dialog", { ref: dialog, "aria-label": "Keys", onClose: () => helping.value = false, children: [
      /* @__PURE__ */ a4("h2", { children: "Keys" }),
      /* @__PURE__ */ a4("dl", { class: "keys", children: KEYS.map(([key, does]) => /* @__PURE__ */ a4($, { children: [
        /* @__PURE__ */ a4("dt", { children: /* @__PURE__ */ a4("kbd", { children: key }) }),
        /* @__PURE__ */ a4("dd", { children: does })
      ] })) }),
      /* @__PURE__ */ a4("button", { type: "button", onClick: () => dialog.current?.close(), children: "Close" })
    ] });
  }

  // src/obligations.tsx
  var ROW2 = 33;
  function Obligations({ target: target2 }) {
    const self = T2(null);
    const list = index.obligations;
    const { window: window2 } = useWindow(self, list.count, ROW2, "obligations");
    const positions = positionsOf(window2);
    const rows = useRows(list, positions);
    const known2 = target2 !== void 0 && /^\d{1,9}$/.test(target2) && Number(target2) < list.count;
    return /* @__PURE__ */ a4($, { children: [
      /* @__PURE__ */ a4("main", { class: "view", tabIndex: -1, children: [
        /* @__PURE__ */ a4("header", { class: "view-head", children: [
          /* @__PURE__ */ a4("h1", { tabIndex: -1, children: "Evidence" }),
          /* @__PURE__ */ a4("p", { class: "question", children: "What was asked of the deciders, each question once." }),
          /* @__PURE__ */ a4("p", { class: "count", children: counted(list.count, "obligation") })
        ] }),
        /* @__PURE__ */ a4("table", { class: "rows obligations", ref: self, "aria-rowcount": list.count + 1, children: [
          /* @__PURE__ */ a4("thead", { children: /* @__PURE__ */ a4("tr", { "aria-rowindex": 1, children: [
            /* @__PURE__ */ a4("th", { scope: "col", children: "obligation" }),
            /* @__PURE__ */ a4("th", { scope: "col", children: "verdict" }),
            /* @__PURE__ */ a4("th", { scope: "col", children: "asked" }),
            /* @__PURE__ */ a4("th", { scope: "col", class: "number", children: "decides" })
          ] }) }),
          /* @__PURE__ */ a4("tbody", { children: [
            window2.above > 0 ? /* @__PURE__ */ a4(Gap, { height: window2.above }) : null,
            positions.map((position) => {
              const answer = rows.get(position);
              const row = answer?.state === "here" ? answer.value : void 0;
              return /* @__PURE__ */ a4("tr", { "data-row": position, "aria-rowindex": position + 2, children: [
                /* @__PURE__ */ a4("th", { scope: "row", children: /* @__PURE__ */ a4("a", { href: address(["evidence", position]), children: grouped(String(position)) }) }),
                /* @__PURE__ */ a4("td", { children: row ? /* @__PURE__ */ a4(Status, { word: row.verdict }) : answer?.state === "failed" ? answer.why : "\u2026" }),
                /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4("bdi", { children: row?.statement }) }),
                /* @__PURE__ */ a4("td", { class: "number", children: row ? grouped(row.shared) : "" })
              ] }, position);
            }),
            window2.below > 0 ? /* @__PURE__ */ a4(Gap, { height: window2.below }) : null
          ] })
        ] })
      ] }),
      target2 === void 0 ? null : /* @__PURE__ */ a4(Side, { label: "Obligation", children: known2 ? /* @__PURE__ */ a4($, { children: [
        /* @__PURE__ */ a4("h2", { tabIndex: -1, children: [
          "Obligation ",
          grouped(target2)
        ] }),
        /* @__PURE__ */ a4(ObligationAt, { position: Number(target2) })
      ] }) : /* @__PURE__ */ a4(NotHere, { what: `obligation ${target2}` }) })
    ] });
  }
  function Gap({ height }) {
    return /* @__PURE__ */ a4("tr", { "aria-hidden": "true", children: /* @__PURE__ */ a4("td", { colSpan: 4, class: "spacer", style: { height: `${height}px` } }) });
  }

  // src/laws.tsx
  function book() {
    const laws = /* @__PURE__ */ new Map();
    index.boundaries.forEach((row, boundary) => {
      row.laws.forEach((law, at) => {
        laws.set(law.id, [...laws.get(law.id) ?? [], { boundary, at, law }]);
      });
    });
    return laws;
  }
  function together(uses) {
    const found = /* @__PURE__ */ new Map();
    for (const use of uses) {
      const words = found.get(use.boundary) ?? /* @__PURE__ */ new Map();
      words.set(use.law.status, [...words.get(use.law.status) ?? [], use]);
      found.set(use.boundary, words);
    }
    return found;
  }
  function boundaryName(position) {
    const row = index.boundaries[position];
    return row ? boundaryTitle(row) : "";
  }
  function Laws2() {
    const laws = [...book()];
    if (laws.length === 0) return /* @__PURE__ */ a4("p", { class: "none", children: index.boundaries.every(examined) ? "no law applies" : "no law was examined" });
    return /* @__PURE__ */ a4("div", { class: "wide", children: /* @__PURE__ */ a4("table", { class: "rows", children: [
      /* @__PURE__ */ a4("thead", { children: /* @__PURE__ */ a4("tr", { children: [
        /* @__PURE__ */ a4("th", { scope: "col", children: "law" }),
        /* @__PURE__ */ a4("th", { scope: "col", children: "statement" }),
        /* @__PURE__ */ a4("th", { scope: "col", children: "here" }),
        /* @__PURE__ */ a4("th", { scope: "col", children: "for all parameters" })
      ] }) }),
      /* @__PURE__ */ a4("tbody", { children: laws.map(([id, uses]) => /* @__PURE__ */ a4(Law, { id, uses })) })
    ] }) });
  }
  function Law({ id, uses }) {
    const law = uses[0]?.law;
    if (!law) return null;
    return /* @__PURE__ */ a4("tr", { children: [
      /* @__PURE__ */ a4("th", { scope: "row", children: id }),
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4("details", { children: [
        /* @__PURE__ */ a4("summary", { children: /* @__PURE__ */ a4("bdi", { children: law.statement }) }),
        /* @__PURE__ */ a4(Equations, { equations: law.equations }),
        /* @__PURE__ */ a4("p", { class: "support", children: /* @__PURE__ */ a4("bdi", { children: law.source }) })
      ] }) }),
      /* @__PURE__ */ a4("td", { children: [...together(uses)].map(([boundary, words]) => /* @__PURE__ */ a4("div", { class: "uses", children: [
        /* @__PURE__ */ a4("small", { children: boundaryName(boundary) }),
        [...words].map(([word, some]) => /* @__PURE__ */ a4("p", { children: [
          /* @__PURE__ */ a4(Status, { word }),
          " ",
          some.map((use) => /* @__PURE__ */ a4("a", { href: address(["boundary", use.boundary, "l", use.at]), children: use.law.form }))
        ] }))
      ] })) }),
      /* @__PURE__ */ a4("td", { children: [...new Set(uses.map((use) => foreverWords(use.law.theorem)))].join("; ") })
    ] });
  }

  // src/overlays.tsx
  function overlaysOf(stage) {
    return index.overlays.flatMap((overlay, at) => overlay.stage === stage ? [[at, overlay]] : []);
  }
  function chosen() {
    return (route.value.options.get("ov") ?? "").split(",").filter(Boolean);
  }
  async function read3(overlay) {
    const values = /* @__PURE__ */ new Map();
    for await (const [, rows] of chunksFrom(overlay.values)) for (const row of rows) values.set(row[0], row);
    return { overlay, values };
  }
  function useOverlays(stage) {
    const on = overlaysOf(stage).filter(([at]) => chosen().includes(String(at)));
    return useAnswer(() => Promise.all(on.map(([, overlay]) => read3(overlay))), [stage, on.map(([at]) => at).join(",")]);
  }
  function OverlaySwitches({ stage }) {
    const all = overlaysOf(stage);
    const known2 = all.map(([at]) => String(at));
    const on = chosen().filter((at) => known2.includes(at));
    const strange = chosen().filter((at) => !known2.includes(at));
    const turned = (at) => (on.includes(at) ? on.filter((each) => each !== at) : [...on, at]).join(",");
    const unknown = strange.length > 0 ? /* @__PURE__ */ a4(NotHere, { what: `overlay ${strange.join(", ")}` }) : null;
    if (all.length === 0) return unknown;
    return /* @__PURE__ */ a4("fieldset", { class: "overlays", children: [
      /* @__PURE__ */ a4("legend", { children: "Overlays, from outside the derivation" }),
      unknown,
      all.map(([at, overlay]) => /* @__PURE__ */ a4("label", { children: [
        /* @__PURE__ */ a4(
          "input",
          {
            type: "checkbox",
            checked: on.includes(String(at)),
            onChange: () => settle(withOptions({ ov: turned(String(at)) }))
          }
        ),
        /* @__PURE__ */ a4("span", { children: [
          /* @__PURE__ */ a4("bdi", { children: overlay.provider }),
          ", revision ",
          /* @__PURE__ */ a4("bdi", { children: overlay.revision }),
          ":",
          " ",
          grouped(String(overlay.matched)),
          " of ",
          grouped(String(overlay.entities)),
          " entities matched",
          overlay.entries > overlay.matched ? `, by ${grouped(String(overlay.matched))} of its ${counted(overlay.entries, "entry", "entries")}` : "",
          on.includes(String(at)) ? /* @__PURE__ */ a4("small", { children: [
            " ",
            /* @__PURE__ */ a4(Quantity, { text: overlay.low, about: overlay.unit, unit: overlay.unit }),
            " to",
            " ",
            /* @__PURE__ */ a4(Quantity, { text: overlay.high, about: overlay.unit, unit: overlay.unit }),
            ". ",
            /* @__PURE__ */ a4("bdi", { children: overlay.about }),
            /* @__PURE__ */ a4(Rates, { rates: overlay.rates })
          ] }) : null
        ] })
      ] }))
    ] });
  }
  function Rates({ rates }) {
    if (rates.length === 0) return null;
    return /* @__PURE__ */ a4($, { children: [
      ". In one second:",
      " ",
      rates.map(({ name, value }, at) => /* @__PURE__ */ a4($, { children: [
        at > 0 ? "; " : "",
        /* @__PURE__ */ a4(Quantity, { text: value, about: `${name} in one second`, unit: name })
      ] }))
    ] });
  }
  function OverlayNotice() {
    const stages = index.stages.flatMap((stage, at) => {
      const providers = new Set(overlaysOf(at).map(([, { provider }]) => provider));
      return providers.size > 0 ? [{ stage, at, providers: [...providers].join(", ") }] : [];
    });
    if (stages.length === 0) return null;
    return /* @__PURE__ */ a4("p", { class: "overlay-notice", children: [
      "Overlays, from outside the derivation and off until they are turned on:",
      " ",
      stages.map(({ stage, at, providers }, place) => /* @__PURE__ */ a4($, { children: [
        place > 0 ? "; " : "",
        /* @__PURE__ */ a4("bdi", { children: providers }),
        " on ",
        /* @__PURE__ */ a4("a", { href: address(["stage", slug(stage)]), children: stageTitle(at) })
      ] }))
    ] });
  }
  function tenth(level) {
    return Math.min(10, Math.max(0, Math.round(level / 100)));
  }

  // src/overview.tsx
  function Overview() {
    return /* @__PURE__ */ a4("main", { class: "view", tabIndex: -1, children: [
      /* @__PURE__ */ a4(Verdict, {}),
      /* @__PURE__ */ a4(Failures, {}),
      /* @__PURE__ */ a4(Statement, {}),
      /* @__PURE__ */ a4(Part, { title: "Stages", children: [
        /* @__PURE__ */ a4(Slots, {}),
        /* @__PURE__ */ a4(OverlayNotice, {})
      ] }),
      /* @__PURE__ */ a4(Boundaries, {}),
      /* @__PURE__ */ a4(Part, { title: "Law book", note: "what was shown of this bundle, and what is proved for all parameters", children: /* @__PURE__ */ a4(Laws2, {}) }),
      /* @__PURE__ */ a4(Sections, { title: "Totals", note: index.covered, sections: index.totals }),
      /* @__PURE__ */ a4(More, { title: `Chosen, not derived: ${counted(index.definitions.length, "definition")}`, children: /* @__PURE__ */ a4(Facts, { facts: index.definitions, label: "Definitions" }) }),
      /* @__PURE__ */ a4(More, { title: "What decided", children: [
        /* @__PURE__ */ a4(
          Facts,
          {
            facts: [
              ...index.tool,
              { name: "bundle SHA-256", value: index.bundle_sha256 },
              { name: "derivation digest", value: index.derivation_digest }
            ],
            label: "Tool"
          }
        ),
        /* @__PURE__ */ a4("p", { children: /* @__PURE__ */ a4("a", { href: address(["evidence"]), children: [
          "All ",
          counted(index.obligations.count, "obligation")
        ] }) })
      ] }),
      /* @__PURE__ */ a4(More, { title: "Verdict words", children: /* @__PURE__ */ a4("dl", { class: "words", children: WORDS.map((word) => /* @__PURE__ */ a4($, { children: [
        /* @__PURE__ */ a4("dt", { children: /* @__PURE__ */ a4(Status, { word }) }),
        /* @__PURE__ */ a4("dd", { children: meaningOf(word) })
      ] })) }) })
    ] });
  }
  function Verdict() {
    return /* @__PURE__ */ a4("header", { class: `verdict-head tone-${toneOf(index.verdict)}`, children: [
      /* @__PURE__ */ a4("h1", { tabIndex: -1, children: [
        /* @__PURE__ */ a4(Icon, { word: index.verdict }),
        " ",
        index.verdict.charAt(0).toUpperCase() + index.verdict.slice(1)
      ] }),
      /* @__PURE__ */ a4(Found, {}),
      /* @__PURE__ */ a4("p", { children: groupedWithin(index.summary) }),
      /* @__PURE__ */ a4("p", { class: "counts", children: index.counts.map(({ word, count }) => /* @__PURE__ */ a4(Status, { word, count: grouped(count) })) }),
      /* @__PURE__ */ a4(Weakest, {})
    ] });
  }
  function Found() {
    if (index.findings.length === 0) return null;
    const { first, later, bytes } = index.totals_of_findings;
    const asked = index.counts.filter(({ word, count }) => count !== "0" && !SETTLED.has(word));
    const established = asked.length > 0 && asked.every(({ word }) => establishes(word)) && nothingIsMissing();
    const parts = [
      first > 0 ? `${grouped(String(first))} to mend` : "",
      later > 0 ? `${grouped(String(later))} of later stages, which may follow` : "",
      ...first + later === 0 ? differences(index.findings) : [bytes > 0 ? `${grouped(String(bytes))} of digests, replay and records` : ""],
      established ? "all claims and laws are established" : ""
    ];
    return /* @__PURE__ */ a4("p", { class: "found", children: [
      /* @__PURE__ */ a4("b", { children: counted(index.findings_total, "finding") }),
      ": ",
      parts.filter(Boolean).join("; ")
    ] });
  }
  var SETTLED = /* @__PURE__ */ new Set(["not-applicable", "definition"]);
  function nothingIsMissing() {
    const missing = index.findings.some((finding) => finding.code === "stage.missing");
    const listed = index.findings.length === index.findings_total;
    return listed && !missing && index.boundaries.every((boundary) => boundary.relation_verified);
  }
  function Statement() {
    const note = index.verdict === "verified" ? "this derivation follows from" : "this derivation should follow from";
    return /* @__PURE__ */ a4(Part, { title: "Statement", note, children: /* @__PURE__ */ a4("dl", { class: "statement", children: index.bindings.map(({ title, facts }) => /* @__PURE__ */ a4($, { children: [
      /* @__PURE__ */ a4("dt", { children: title }),
      /* @__PURE__ */ a4("dd", { children: facts.map(({ name, value }) => /* @__PURE__ */ a4("span", { children: [
        /* @__PURE__ */ a4("span", { class: "binding", children: name }),
        " ",
        /* @__PURE__ */ a4("bdi", { children: /* @__PURE__ */ a4(Quantity, { text: value, about: name }) })
      ] })) })
    ] })) }) });
  }
  function Weakest() {
    const boundary = index.boundaries[index.weakest];
    if (!boundary) return null;
    return /* @__PURE__ */ a4("p", { children: [
      "Weakest link: ",
      /* @__PURE__ */ a4("a", { href: address(["boundary", index.weakest]), children: boundaryTitle(boundary) }),
      ",",
      " ",
      /* @__PURE__ */ a4(Status, { word: standingOf(boundary, index.weakest) })
    ] });
  }
  function Slots() {
    return /* @__PURE__ */ a4($, { children: index.slots.map((slots, branch) => /* @__PURE__ */ a4("section", { "aria-label": index.branches[branch] || "Slots", children: [
      index.branches[branch] ? /* @__PURE__ */ a4("p", { class: "branch", children: index.branches[branch] }) : null,
      /* @__PURE__ */ a4("ol", { class: "slots", children: slots.map((slot) => {
        const stage = index.stages[slot];
        return stage ? /* @__PURE__ */ a4(Slot2, { stage }) : null;
      }) })
    ] })) });
  }
  function Slot2({ stage }) {
    return /* @__PURE__ */ a4("li", { class: stage.unavailable ? "slot-card unavailable" : "slot-card", children: [
      /* @__PURE__ */ a4("h3", { children: /* @__PURE__ */ a4("a", { href: address(["stage", slug(stage)]), children: stage.title }) }),
      stage.unavailable ? /* @__PURE__ */ a4("p", { children: [
        /* @__PURE__ */ a4(Status, { word: "unavailable" }),
        ": ",
        /* @__PURE__ */ a4("bdi", { children: stage.unavailable })
      ] }) : /* @__PURE__ */ a4($, { children: [
        /* @__PURE__ */ a4("p", { children: counted(stage.entities.count, "entity", "entities") }),
        stage.label ? /* @__PURE__ */ a4("p", { class: "support", children: /* @__PURE__ */ a4("bdi", { children: stage.label }) }) : null,
        /* @__PURE__ */ a4("p", { class: "digest", title: stage.digest, children: stage.digest.slice(0, 16) })
      ] })
    ] });
  }
  function Boundaries() {
    return /* @__PURE__ */ a4(Part, { title: "Boundaries", children: /* @__PURE__ */ a4("div", { class: "wide", children: /* @__PURE__ */ a4("table", { class: "rows", children: [
      /* @__PURE__ */ a4("thead", { children: /* @__PURE__ */ a4("tr", { children: [
        /* @__PURE__ */ a4("th", { scope: "col", children: "boundary" }),
        /* @__PURE__ */ a4("th", { scope: "col", children: "verdict" }),
        /* @__PURE__ */ a4("th", { scope: "col", children: "pass" }),
        /* @__PURE__ */ a4("th", { scope: "col", class: "number", children: "relations" }),
        /* @__PURE__ */ a4("th", { scope: "col", children: "relation verified" }),
        /* @__PURE__ */ a4("th", { scope: "col", children: "canonical-conformant" }),
        /* @__PURE__ */ a4("th", { scope: "col", children: "accounted for" }),
        /* @__PURE__ */ a4("th", { scope: "col", children: "claims" }),
        /* @__PURE__ */ a4("th", { scope: "col", children: "laws" })
      ] }) }),
      /* @__PURE__ */ a4("tbody", { children: index.boundaries.map((boundary, at) => /* @__PURE__ */ a4(BoundaryLine, { boundary, at })) })
    ] }) }) });
  }
  function BoundaryLine({ boundary, at }) {
    return /* @__PURE__ */ a4("tr", { children: [
      /* @__PURE__ */ a4("th", { scope: "row", children: /* @__PURE__ */ a4("a", { href: address(["boundary", at]), children: boundaryTitle(boundary) }) }),
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(Status, { word: standingOf(boundary, at) }) }),
      /* @__PURE__ */ a4("td", { children: boundary.name }),
      /* @__PURE__ */ a4("td", { class: "number", children: grouped(String(boundary.relations.count)) }),
      /* @__PURE__ */ a4("td", { children: boundary.structural_only ? "structural only" : boundary.relation_verified ? "yes" : "no" }),
      /* @__PURE__ */ a4("td", { children: boundary.canonical_conformant }),
      /* @__PURE__ */ a4("td", { children: !examined(boundary) ? "not examined" : boundary.exact ? "exactly" : "not exactly" }),
      /* @__PURE__ */ a4("td", { children: boundary.claims.map(({ word, count }) => /* @__PURE__ */ a4(Status, { word, count: grouped(count) })) }),
      /* @__PURE__ */ a4("td", { children: lawWords(boundary.laws).map(([word, count]) => /* @__PURE__ */ a4(Status, { word, count: grouped(String(count)) })) })
    ] });
  }
  function Sections({ title, note, sections }) {
    if (sections.length === 0) return null;
    return /* @__PURE__ */ a4(Part, { title, note, children: /* @__PURE__ */ a4("div", { class: "sections", children: sections.map((section) => /* @__PURE__ */ a4("section", { "aria-label": section.title, children: [
      /* @__PURE__ */ a4("h3", { children: section.title }),
      /* @__PURE__ */ a4(Facts, { facts: section.facts, label: section.title })
    ] })) }) });
  }

  // src/glow.ts
  var LIT = ["lit", "lit-self"];
  var Glow = class {
    constructor(stage, row, board, all, some) {
      this.stage = stage;
      this.row = row;
      this.board = board;
      this.all = all;
      this.some = some;
    }
    stage;
    row;
    board;
    all;
    some;
    points = /* @__PURE__ */ new Map();
    chips = /* @__PURE__ */ new Map();
    asked = 0;
    kept = -1;
    lit;
    /** Take the places of the chips and draw every dependency, faintly. */
    measure() {
      this.points.clear();
      this.chips.clear();
      const origin = this.board.getBoundingClientRect();
      const chips = this.board.querySelectorAll("[data-group]");
      for (const chip of chips) {
        const group = Number(chip.dataset.group);
        const box = chip.getBoundingClientRect();
        this.chips.set(group, chip);
        this.points.set(group, [box.left - origin.left + box.width / 2, box.top - origin.top + box.height / 2]);
      }
      const lines = [];
      this.row.groups.forEach((group, at) => {
        for (const other of group.neighbours) if (other > at) lines.push(this.line(at, other));
      });
      this.all.setAttribute("d", lines.join(""));
      if (this.lit) this.light(...this.lit);
      else if (this.kept >= 0) this.off();
    }
    /** The group that stays lit while nothing else is under the pointer; -1 for none. */
    keep(group) {
      this.kept = group;
      this.off();
    }
    /** Light a group of the matrix and its direct neighbours. */
    group(at) {
      this.asked += 1;
      this.light(at, this.row.groups[at]?.neighbours ?? []);
    }
    /** Light the groups of one entity's direct neighbours, and those neighbours that a list shows. */
    async entity(position) {
      this.asked += 1;
      const mine = this.asked;
      const [entity, names2] = await Promise.all([rowAt(this.row.entities, position), namesOf(this.stage)]);
      if (mine !== this.asked) return;
      const touching = [...entity.before, ...entity.after];
      const groups = new Set(touching.map((each) => names2[each]?.[3] ?? -1));
      this.light(entity.group, [...groups]);
      for (const each of touching) {
        document.querySelector(`aside [data-entity="${each}"]`)?.classList.add("lit");
      }
    }
    /** Light nothing but what is kept. */
    off() {
      this.asked += 1;
      this.clear();
      if (this.chips.has(this.kept)) this.light(this.kept, this.row.groups[this.kept]?.neighbours ?? []);
    }
    clear() {
      this.lit = void 0;
      for (const lit of document.querySelectorAll(".lit, .lit-self")) lit.classList.remove(...LIT);
      this.some.setAttribute("d", "");
      this.board.classList.remove("glowing");
    }
    light(self, neighbours) {
      this.clear();
      this.lit = [self, neighbours];
      this.board.classList.add("glowing");
      this.chips.get(self)?.classList.add("lit-self");
      for (const each of neighbours) this.chips.get(each)?.classList.add("lit");
      this.some.setAttribute("d", neighbours.map((each) => this.line(self, each)).join(""));
    }
    line(from, to) {
      const a5 = this.points.get(from);
      const b3 = this.points.get(to);
      if (!a5 || !b3 || from === to) return "";
      const bend = Math.max(24, Math.abs(b3[0] - a5[0]) / 2);
      const [x3, y5] = a5.map(Math.round);
      const [u4, v4] = b3.map(Math.round);
      return `M${x3} ${y5}C${Math.round(a5[0] + bend)} ${y5} ${Math.round(b3[0] - bend)} ${v4} ${u4} ${v4}`;
    }
  };
  function glowOf(stage, board, all, some) {
    const row = index.stages[stage];
    return row && new Glow(stage, row, board, all, some);
  }

  // src/matrix.tsx
  var glow = y3(void 0);
  var opened2 = y3(-1);
  var held;
  function chipOf(group) {
    return document.querySelector(`.matrix [data-group="${group}"]`);
  }
  function hold(chip, group) {
    held = { group, top: chip.getBoundingClientRect().top };
  }
  function restore(board) {
    const chip = held && chipOf(held.group);
    if (!held || !chip) return;
    const by = chip.getBoundingClientRect().top - held.top;
    if (board.classList.contains("fits")) scrollBy({ top: by, behavior: "instant" });
    else board.scrollTop += by;
  }
  var BORDERS = 2;
  function groupAddress(stage, at) {
    const row = index.stages[stage];
    const group = row?.groups[at];
    if (!row || !group) return address([]);
    const options = new Map([...route.value.options, ["g", String(at)], ["q", ""]]);
    const path = ["stage", slug(row)];
    return address(group.entity < 0 ? path : [...path, "e", group.entity], options);
  }
  function Matrix({ stage, shown }) {
    const row = index.stages[stage];
    const frame = T2(null);
    const board = T2(null);
    const all = T2(null);
    const some = T2(null);
    const [at, move] = d2({ lane: 0, column: 0, chip: 0 });
    const cells = w2(() => cellsOf(row), [stage]);
    const wrong = useWrongGroups(stage);
    const levels = useLevels(stage, shown);
    A2(() => {
      if (!board.current || !all.current || !some.current) return void 0;
      const own = glowOf(stage, board.current, all.current, some.current);
      glow.value = own;
      const observer = new ResizeObserver(() => {
        const [outer, inner] = [frame.current, board.current];
        if (outer && inner) outer.classList.toggle("fits", inner.offsetWidth <= outer.offsetWidth - BORDERS);
        own?.measure();
      });
      if (frame.current) observer.observe(frame.current);
      observer.observe(board.current);
      return () => {
        observer.disconnect();
        glow.value = void 0;
      };
    }, [stage]);
    const group = Number(route.value.options.get("g") || -1);
    const chosen2 = opened2.value < 0 ? group : opened2.value;
    const beside = route.value.path.length > 2 || group >= 0;
    F2(() => {
      if (frame.current) restore(frame.current);
    }, [beside, chosen2]);
    A2(() => {
      glow.value?.keep(chosen2);
      if (chosen2 >= 0 && held?.group !== chosen2) chipOf(chosen2)?.scrollIntoView({ block: "center", inline: "center" });
      if (chosen2 < 0) held = void 0;
    }, [chosen2, stage]);
    const focus = (place) => {
      move(place);
      board.current?.querySelector(`[data-place="${nameOf(place)}"]`)?.focus();
    };
    const onKeyDown = (event) => {
      const next = moved(event, at, cells, row.lanes.length, row.columns.length);
      if (!next) return;
      event.preventDefault();
      focus(next);
    };
    const chipUnder = (event) => {
      const chip = event.target instanceof Element ? event.target.closest("[data-group]") : null;
      if (chip) glow.value?.group(Number(chip.dataset.group));
      else glow.value?.off();
    };
    return /* @__PURE__ */ a4(
      "div",
      {
        class: "board",
        ref: frame,
        onPointerOver: chipUnder,
        onPointerLeave: () => glow.value?.off(),
        onFocusIn: chipUnder,
        onFocusOut: () => glow.value?.off(),
        children: /* @__PURE__ */ a4("div", { class: "sheet", ref: board, children: [
          /* @__PURE__ */ a4("svg", { class: "edges", "aria-hidden": "true", children: [
            /* @__PURE__ */ a4("path", { class: "edges-all", ref: all }),
            /* @__PURE__ */ a4("path", { class: "edges-some", ref: some })
          ] }),
          /* @__PURE__ */ a4("table", { class: "matrix", role: "grid", "aria-label": `Entities of ${row.title} by phase and lane`, onKeyDown, children: [
            /* @__PURE__ */ a4("thead", { children: /* @__PURE__ */ a4("tr", { role: "row", children: [
              /* @__PURE__ */ a4("th", { role: "columnheader", scope: "col", children: "lane" }),
              row.columns.map((column, c4) => /* @__PURE__ */ a4("th", { role: "columnheader", scope: "col", class: row.groups.some((each) => each.column === c4) ? "" : "empty", children: /* @__PURE__ */ a4("bdi", { children: column }) }))
            ] }) }),
            /* @__PURE__ */ a4("tbody", { children: row.lanes.map((lane, l4) => /* @__PURE__ */ a4("tr", { role: "row", class: row.lanes[l4 - 1]?.subsystem === lane.subsystem ? "" : "subsystem-start", children: [
              /* @__PURE__ */ a4(LaneHead, { lane }),
              row.columns.map((column, c4) => {
                const groups = cells[l4]?.[c4] ?? [];
                const place = { lane: l4, column: c4, chip: 0 };
                return /* @__PURE__ */ a4(
                  "td",
                  {
                    role: "gridcell",
                    ...groups.length === 0 ? {
                      tabIndex: same(at, place) ? 0 : -1,
                      "data-place": nameOf(place),
                      "aria-label": `${lane.subsystem}, ${lane.kind}, ${column}: empty`
                    } : {},
                    children: groups.map(([group2, g5], chip) => /* @__PURE__ */ a4(
                      Chip,
                      {
                        stage,
                        group: group2,
                        position: g5,
                        kind: lane.kind,
                        place: { lane: l4, column: c4, chip },
                        current: same(at, { lane: l4, column: c4, chip }),
                        wrong: wrong.has(g5),
                        level: levels.get(g5)
                      }
                    ))
                  }
                );
              })
            ] })) })
          ] })
        ] })
      }
    );
  }
  function LaneHead({ lane }) {
    return /* @__PURE__ */ a4("th", { role: "rowheader", scope: "row", children: [
      /* @__PURE__ */ a4("bdi", { children: lane.subsystem }),
      " ",
      /* @__PURE__ */ a4("small", { children: lane.kind })
    ] });
  }
  function Chip(chip) {
    const { group, position } = chip;
    const label = `${group.name}, ${counted(group.count, "entity", "entities")}${chip.wrong ? ", refuted" : ""}`;
    return /* @__PURE__ */ a4(
      "button",
      {
        type: "button",
        class: `chip${chip.wrong ? " wrong" : ""}`,
        tabIndex: chip.current ? 0 : -1,
        "data-place": nameOf(chip.place),
        "data-group": position,
        "aria-label": label,
        "aria-pressed": opened2.value === position || route.value.options.get("g") === String(position),
        onClick: (event) => {
          openedFrom(event.currentTarget);
          hold(event.currentTarget, position);
          go(groupAddress(chip.stage, position));
        },
        children: [
          chip.wrong ? /* @__PURE__ */ a4(Icon, { word: "refuted" }) : null,
          /* @__PURE__ */ a4("bdi", { children: breakable(group.name) }),
          group.count > 1 ? /* @__PURE__ */ a4("small", { children: [
            " \xD7",
            grouped(String(group.count))
          ] }) : null,
          chip.level === void 0 ? null : /* @__PURE__ */ a4(Bar, { level: chip.level })
        ]
      }
    );
  }
  function Bar({ level }) {
    return /* @__PURE__ */ a4("span", { class: `bar bar-${tenth(level)}`, "aria-hidden": "true" });
  }
  function cellsOf(row) {
    const cells = row.lanes.map(() => row.columns.map(() => []));
    row.groups.forEach((group, at) => cells[group.lane]?.[group.column]?.push([group, at]));
    return cells;
  }
  function nameOf(place) {
    return `${place.lane}.${place.column}.${place.chip}`;
  }
  function same(one, other) {
    return nameOf(one) === nameOf(other);
  }
  function moved(event, at, cells, lanes, columns) {
    const last = (lane, column) => Math.max(0, (cells[lane]?.[column]?.length ?? 0) - 1);
    const inLane = (lane) => ({ lane: Math.min(lanes - 1, Math.max(0, lane)), column: at.column, chip: 0 });
    switch (event.key) {
      case "ArrowRight":
        if (at.chip < last(at.lane, at.column)) return { ...at, chip: at.chip + 1 };
        return at.column + 1 < columns ? { lane: at.lane, column: at.column + 1, chip: 0 } : void 0;
      case "ArrowLeft":
        if (at.chip > 0) return { ...at, chip: at.chip - 1 };
        return at.column > 0 ? { lane: at.lane, column: at.column - 1, chip: last(at.lane, at.column - 1) } : void 0;
      case "ArrowDown":
        return inLane(at.lane + 1);
      case "ArrowUp":
        return inLane(at.lane - 1);
      case "PageDown":
        return inLane(at.lane + 5);
      case "PageUp":
        return inLane(at.lane - 5);
      case "Home":
        return { lane: event.ctrlKey ? 0 : at.lane, column: 0, chip: 0 };
      case "End": {
        const lane = event.ctrlKey ? lanes - 1 : at.lane;
        return { lane, column: columns - 1, chip: last(lane, columns - 1) };
      }
      default:
        return void 0;
    }
  }
  function useWrongGroups(stage) {
    const wrong = [...wrongIn(stage)];
    const answer = useAnswer(async () => {
      const names2 = wrong.length > 0 ? await namesOf(stage) : [];
      return new Set(wrong.map((entity) => names2[entity]?.[3] ?? -1));
    }, [stage]);
    return answer.state === "here" ? answer.value : /* @__PURE__ */ new Set();
  }
  function useLevels(stage, shown) {
    const answer = useAnswer(async () => {
      const levels = /* @__PURE__ */ new Map();
      const names2 = shown.length > 0 ? await namesOf(stage) : [];
      for (const { values } of shown) {
        for (const [entity, , level] of values.values()) {
          const group = names2[entity]?.[3] ?? -1;
          levels.set(group, Math.max(level, levels.get(group) ?? 0));
        }
      }
      return levels;
    }, [stage, shown]);
    return answer.state === "here" ? answer.value : /* @__PURE__ */ new Map();
  }

  // src/entities.tsx
  var MOST = 1e3;
  function GroupList({ stage, group, shown }) {
    const answer = useAnswer(async () => {
      const names2 = await namesOf(stage);
      return { names: names2, positions: names2.flatMap((name, at) => name[3] === group ? [at] : []) };
    }, [stage, group]);
    return /* @__PURE__ */ a4(Awaited, { answer, children: (found) => /* @__PURE__ */ a4(List, { stage, found, shown }) });
  }
  function SearchList({ stage, text, shown }) {
    const answer = useAnswer(async () => {
      const names2 = await namesOf(stage);
      return { names: names2, positions: matching(names2, text) };
    }, [stage, text]);
    return /* @__PURE__ */ a4(Awaited, { answer, children: (found) => /* @__PURE__ */ a4(List, { stage, found, shown }) });
  }
  function List({ stage, found, shown }) {
    const positions = found.positions.slice(0, MOST);
    const wrong = wrongIn(stage);
    return /* @__PURE__ */ a4($, { children: [
      /* @__PURE__ */ a4(Cut, { shown: positions.length, all: found.positions.length }),
      /* @__PURE__ */ a4("ul", { class: "entities", onKeyDown: moveInList, onPointerLeave: () => glow.value?.off(), children: positions.map((position, at) => /* @__PURE__ */ a4(Entry, { stage, name: found.names[position], position, first: at === 0, wrong: wrong.has(position), shown })) })
    ] });
  }
  function Cut({ shown, all }) {
    if (all <= shown) return /* @__PURE__ */ a4("p", { class: "count", role: "status", children: counted(all, "entity", "entities") });
    return /* @__PURE__ */ a4("p", { class: "count cut", role: "status", children: [
      "The first ",
      grouped(String(shown)),
      " of ",
      grouped(String(all)),
      " entities. A longer search text finds fewer."
    ] });
  }
  function EntityName({ name: [alias, full], wrong }) {
    return /* @__PURE__ */ a4($, { children: [
      wrong ? /* @__PURE__ */ a4(Icon, { word: "refuted" }) : null,
      wrong ? /* @__PURE__ */ a4("b", { class: "wrong", children: " refuted " }) : null,
      /* @__PURE__ */ a4("bdi", { class: "entity-name", children: full }),
      " ",
      full === alias ? null : /* @__PURE__ */ a4("span", { class: "alias", children: alias })
    ] });
  }
  function Entry(entry) {
    const { stage, name, position } = entry;
    const row = index.stages[stage];
    if (!name || !row) return null;
    const light = () => void glow.value?.entity(position);
    return /* @__PURE__ */ a4("li", { children: /* @__PURE__ */ a4(
      "a",
      {
        href: address(["stage", slug(row), "e", position], route.value.options),
        tabIndex: entry.first ? 0 : -1,
        "data-entry": true,
        "data-entity": position,
        onPointerOver: light,
        onFocus: light,
        onBlur: () => glow.value?.off(),
        onClick: (event) => openedFrom(event.currentTarget),
        children: [
          /* @__PURE__ */ a4(EntityName, { name, wrong: entry.wrong }),
          entry.shown.map(({ overlay, values }) => {
            const value = values.get(position);
            return value ? /* @__PURE__ */ a4("small", { children: [
              /* @__PURE__ */ a4(Quantity, { text: value[1], about: overlay.unit, unit: overlay.unit }),
              " ",
              /* @__PURE__ */ a4(Bar, { level: value[2] })
            ] }) : null;
          })
        ]
      }
    ) });
  }

  // src/search.tsx
  var PAUSE = 150;
  function scope() {
    const [view, name] = route.value.path;
    return view === "stage" ? name : void 0;
  }
  function target(text) {
    const stage = scope();
    const kept2 = [...route.value.options].filter(([name]) => name !== "g" && name !== "q");
    return stage ? address(["stage", stage], [...kept2, ["q", text]]) : address(["search"], [["q", text]]);
  }
  function SearchBox() {
    const pause = T2(0);
    const stage = index.stages.find((each) => slug(each) === scope());
    const where = stage ? `Search in ${stage.title}` : "Search all stages";
    const look = (text) => {
      const searching = route.value.path[0] === "search" || route.value.options.has("q");
      if (text || searching) (searching ? settle : go)(target(text));
    };
    return /* @__PURE__ */ a4(
      "input",
      {
        id: "search",
        type: "search",
        "aria-label": where,
        "aria-keyshortcuts": "/",
        placeholder: `${where}  ( / )`,
        value: route.value.options.get("q") ?? "",
        autocomplete: "off",
        spellcheck: false,
        onInput: (event) => {
          const text = event.currentTarget.value.trim();
          clearTimeout(pause.current);
          pause.current = setTimeout(() => look(text), PAUSE);
        },
        onKeyDown: (event) => {
          if (event.key !== "Enter" && event.key !== "ArrowDown") return;
          clearTimeout(pause.current);
          look(event.currentTarget.value.trim());
          document.querySelector(".entities [data-entry]")?.focus();
        }
      }
    );
  }
  async function everywhere(text) {
    const found = [];
    for (const stage of text ? index.stages.keys() : []) {
      const names2 = await namesOf(stage);
      found.push({ stage, names: names2, positions: matching(names2, text) });
    }
    return found;
  }
  function SearchView() {
    const text = route.value.options.get("q") ?? "";
    const answer = useAnswer(() => everywhere(text), [text]);
    return /* @__PURE__ */ a4("main", { class: "view", tabIndex: -1, children: [
      /* @__PURE__ */ a4("h1", { tabIndex: -1, children: [
        "Search \u201C",
        text,
        "\u201D"
      ] }),
      /* @__PURE__ */ a4(Awaited, { answer, children: (hits) => /* @__PURE__ */ a4(Results, { hits }) })
    ] });
  }
  function Results({ hits }) {
    const all = hits.reduce((sum2, each) => sum2 + each.positions.length, 0);
    let room = MOST;
    return /* @__PURE__ */ a4($, { children: [
      /* @__PURE__ */ a4(Cut, { shown: Math.min(all, MOST), all }),
      hits.map(({ stage, names: names2, positions }) => {
        const shown = positions.slice(0, room);
        room -= shown.length;
        if (shown.length === 0) return null;
        const wrong = wrongIn(stage);
        return /* @__PURE__ */ a4("section", { "aria-label": stageTitle(stage), children: [
          /* @__PURE__ */ a4("h2", { children: [
            stageTitle(stage),
            " ",
            /* @__PURE__ */ a4("small", { children: grouped(String(positions.length)) })
          ] }),
          /* @__PURE__ */ a4("ul", { class: "entities", onKeyDown: moveInList, children: shown.map((position, at) => {
            const name = names2[position] ?? ["", "", "", 0];
            return /* @__PURE__ */ a4("li", { children: /* @__PURE__ */ a4("a", { href: entityAddress(stage, position), tabIndex: at === 0 ? 0 : -1, "data-entry": true, children: /* @__PURE__ */ a4(EntityName, { name, wrong: wrong.has(position) }) }) });
          }) })
        ] });
      })
    ] });
  }

  // src/inspector.tsx
  var SHOWN2 = 40;
  async function find2(stage, target2) {
    const row = index.stages[stage];
    const names2 = await namesOf(stage);
    const position = /^\d+$/.test(target2) ? Number(target2) : names2.findIndex((name2) => name2[2] === target2);
    const name = names2[position];
    if (!name) return void 0;
    const entity = await rowAt(row.entities, position);
    if (name[2] !== target2) settle(keepingOptions(["stage", slug(row), "e", name[2]]));
    return { entity, position, names: names2 };
  }
  function Inspector({ stage, target: target2, shown }) {
    const answer = useAnswer(() => find2(stage, target2), [stage, target2]);
    return /* @__PURE__ */ a4(Awaited, { answer, children: (found) => found ? /* @__PURE__ */ a4(Whole2, { stage, found, shown }) : /* @__PURE__ */ a4(NotHere, { what: `entity ${target2}` }) });
  }
  function Whole2({ stage, found, shown }) {
    const { entity, position, names: names2 } = found;
    const [before = 0, after = 0, made = 0, used = 0] = entity.counts;
    A2(() => {
      opened2.value = entity.group;
      return () => {
        opened2.value = -1;
      };
    }, [entity.group]);
    const findings = index.findings.filter((each) => each.stage === stage && each.entity === position);
    const relations = useAnswer(() => accused(findings), [stage, position]);
    const expected = relations.state === "here" ? expectedOf(entity, relations.value) : /* @__PURE__ */ new Map();
    return /* @__PURE__ */ a4($, { children: [
      /* @__PURE__ */ a4("h2", { tabIndex: -1, children: [
        /* @__PURE__ */ a4("bdi", { children: entity.alias }),
        " ",
        /* @__PURE__ */ a4("small", { children: entity.kind })
      ] }),
      /* @__PURE__ */ a4(FindingNotes, { findings }),
      /* @__PURE__ */ a4("p", { class: "expression", children: /* @__PURE__ */ a4(Expression, { span: entity.expression, stage }) }),
      /* @__PURE__ */ a4("dl", { class: "ids", children: [
        /* @__PURE__ */ a4("dt", { children: "name" }),
        /* @__PURE__ */ a4("dd", { children: /* @__PURE__ */ a4("bdi", { children: entity.name }) }),
        /* @__PURE__ */ a4("dt", { children: "id" }),
        /* @__PURE__ */ a4("dd", { class: "digest", children: entity.id })
      ] }),
      /* @__PURE__ */ a4(Values, { position, shown }),
      /* @__PURE__ */ a4("h3", { children: "Fields" }),
      /* @__PURE__ */ a4(Facts, { facts: entity.fields, label: "Fields", expected }),
      /* @__PURE__ */ a4(Entities, { title: "Reads or waits for", stage, positions: entity.before, count: before, names: names2 }),
      /* @__PURE__ */ a4(Entities, { title: "Is read or waited for by", stage, positions: entity.after, count: after, names: names2 }),
      /* @__PURE__ */ a4("h3", { children: "Lineage" }),
      /* @__PURE__ */ a4(Facts, { facts: entity.lineage, label: "Lineage" }),
      /* @__PURE__ */ a4(Relations2, { title: "Made by", links: entity.made_by, count: made, none: "no relation" }),
      /* @__PURE__ */ a4(Relations2, { title: "Lowered by", links: entity.used_by, count: used, none: "no relation" })
    ] });
  }
  async function accused(findings) {
    const places2 = findings.flatMap(({ boundary, relation }) => relation < 0 ? [] : [[boundary, relation]]);
    const found = places2.map(([at, relation]) => {
      const boundary = index.boundaries[at];
      return boundary ? [rowAt(boundary.relations, relation)] : [];
    });
    return Promise.all(found.flat());
  }
  function expectedOf(entity, relations) {
    const expected = /* @__PURE__ */ new Map();
    for (const row of relations.flatMap(({ claims }) => claims.flatMap(({ failed }) => failed))) {
      if (!row.field.startsWith(`${entity.name}.`)) continue;
      const last = row.field.slice(entity.name.length + 1);
      const fact = entity.fields.find(({ name }) => name === last || name.endsWith(`.${last}`));
      if (fact) expected.set(fact.name, row.expected);
    }
    return expected;
  }
  function Values({ position, shown }) {
    return /* @__PURE__ */ a4($, { children: shown.map(({ overlay, values }) => {
      const value = values.get(position)?.[1];
      return /* @__PURE__ */ a4("p", { class: "overlay-value", children: [
        /* @__PURE__ */ a4("b", { children: "Overlay" }),
        " ",
        /* @__PURE__ */ a4("bdi", { children: overlay.provider }),
        ", revision ",
        /* @__PURE__ */ a4("bdi", { children: overlay.revision }),
        ":",
        " ",
        value === void 0 ? "no value for this entity" : /* @__PURE__ */ a4(Quantity, { text: value, about: overlay.unit, unit: overlay.unit })
      ] });
    }) });
  }
  function Entities(list) {
    const [all, showAll] = d2(false);
    const positions = all ? list.positions : list.positions.slice(0, SHOWN2);
    const cut = list.count > list.positions.length;
    return /* @__PURE__ */ a4($, { children: [
      /* @__PURE__ */ a4("h3", { children: [
        list.title,
        " ",
        /* @__PURE__ */ a4("small", { children: grouped(String(list.count)) })
      ] }),
      list.positions.length === 0 ? /* @__PURE__ */ a4("p", { class: "none", children: "nothing" }) : null,
      /* @__PURE__ */ a4("ul", { class: "links", children: positions.map((position) => /* @__PURE__ */ a4("li", { children: /* @__PURE__ */ a4("a", { href: entityAddress(list.stage, position), children: /* @__PURE__ */ a4("bdi", { children: list.names[position]?.[0] ?? position }) }) })) }),
      !all && list.positions.length > SHOWN2 ? /* @__PURE__ */ a4("button", { type: "button", class: "plain", onClick: () => showAll(true), children: [
        cut ? `First ${grouped(String(list.positions.length))} of ` : "All ",
        counted(list.count, "entity", "entities")
      ] }) : null,
      all && cut ? /* @__PURE__ */ a4("p", { children: [
        "and ",
        grouped(String(list.count - list.positions.length)),
        " more, which the bundle holds"
      ] }) : null
    ] });
  }
  function Relations2({ title, links, count, none }) {
    return /* @__PURE__ */ a4($, { children: [
      /* @__PURE__ */ a4("h3", { children: title }),
      links.length === 0 ? /* @__PURE__ */ a4("p", { class: "none", children: none }) : null,
      /* @__PURE__ */ a4("ul", { class: "links", children: links.slice(0, SHOWN2).map(([boundary, relation]) => {
        const row = index.boundaries[boundary];
        return row ? /* @__PURE__ */ a4("li", { children: /* @__PURE__ */ a4("a", { href: address(["boundary", boundary, "r", relation]), children: [
          "relation ",
          grouped(String(relation)),
          " of ",
          boundaryTitle(row)
        ] }) }) : null;
      }) }),
      count > SHOWN2 ? /* @__PURE__ */ a4("p", { children: [
        "and ",
        counted(count - SHOWN2, "more relation")
      ] }) : null
    ] });
  }

  // src/text.tsx
  var SHEET = 2e5;
  var LINE = 21;
  function TextView({ list, stage, form }) {
    const sheets = Math.max(1, Math.ceil(list.count / SHEET));
    const sheet = Math.min(sheets - 1, Math.max(0, Number(route.value.options.get("sheet")) || 0));
    const from = sheet * SHEET;
    const count = Math.min(SHEET, list.count - from);
    const body = T2(null);
    const { window: window2 } = useWindow(body, count, LINE, `${stage} ${form} ${sheet}`);
    const positions = positionsOf(window2).map((at) => at + from);
    const rows = useRows(list, positions);
    const wrong = wrongIn(stage);
    return /* @__PURE__ */ a4($, { children: [
      /* @__PURE__ */ a4("p", { class: "count", children: [
        grouped(String(list.count)),
        " lines",
        sheets > 1 ? `, of which ${grouped(String(from + 1))} to ${grouped(String(from + count))} here ` : "",
        sheet > 0 ? /* @__PURE__ */ a4("a", { href: withOptions({ sheet: String(sheet - 1) }), children: "before" }) : null,
        " ",
        sheet + 1 < sheets ? /* @__PURE__ */ a4("a", { href: withOptions({ sheet: String(sheet + 1) }), children: "after" }) : null,
        printing.value ? ` (printed ${printedOf(list.count)})` : ""
      ] }),
      /* @__PURE__ */ a4("div", { class: "code", ref: body, role: "region", "aria-label": `${form} text`, style: { "--digits": String(list.count).length }, children: [
        /* @__PURE__ */ a4("div", { style: { height: `${window2.above}px` } }),
        positions.map((position) => {
          const answer = rows.get(position);
          const bad = answer?.state === "here" && names(answer.value[1], wrong);
          return /* @__PURE__ */ a4("div", { class: bad ? "line wrong" : "line", "data-row": position - from, children: [
            /* @__PURE__ */ a4("span", { class: "line-number", "aria-hidden": "true", children: position + 1 }),
            /* @__PURE__ */ a4("code", { class: `depth-${answer?.state === "here" ? Math.min(8, answer.value[0]) : 0}`, children: [
              bad ? /* @__PURE__ */ a4($, { children: [
                /* @__PURE__ */ a4(Icon, { word: "refuted" }),
                /* @__PURE__ */ a4("span", { class: "hidden-text", children: "refuted: " })
              ] }) : null,
              answer?.state === "here" ? /* @__PURE__ */ a4(Parts, { parts: answer.value[1], stage }) : null,
              answer?.state === "failed" ? /* @__PURE__ */ a4("span", { role: "alert", children: answer.why }) : null
            ] })
          ] }, position);
        }),
        /* @__PURE__ */ a4("div", { style: { height: `${window2.below}px` } })
      ] })
    ] });
  }
  function names(parts, entities) {
    return parts.some(
      (part) => typeof part !== "string" && (entities.has(part.entity ?? -1) || names(part.parts, entities))
    );
  }

  // src/stage.tsx
  function StageView({ name, kind, target: target2 }) {
    const position = stageBySlug(name);
    const stage = index.stages[position];
    const shown = useOverlays(position);
    if (!stage) return /* @__PURE__ */ a4(NoView, { what: `stage ${name}` });
    const overlays = shown.state === "here" ? shown.value : [];
    return /* @__PURE__ */ a4($, { children: [
      /* @__PURE__ */ a4("main", { class: "view", tabIndex: -1, children: [
        /* @__PURE__ */ a4(Head2, { stage, position }),
        stage.unavailable ? /* @__PURE__ */ a4(Notice, { children: [
          /* @__PURE__ */ a4("b", { children: "Unavailable." }),
          " ",
          /* @__PURE__ */ a4("bdi", { children: stage.unavailable })
        ] }) : /* @__PURE__ */ a4($, { children: [
          /* @__PURE__ */ a4(Wrong, { position }),
          /* @__PURE__ */ a4(Tools, { stage, position }),
          shown.state === "failed" ? /* @__PURE__ */ a4(Awaited, { answer: shown, children: () => null }) : null,
          /* @__PURE__ */ a4(Form2, { stage, position, shown: overlays })
        ] })
      ] }),
      /* @__PURE__ */ a4(Beside2, { stage, position, kind, target: target2, shown: overlays })
    ] });
  }
  function Head2({ stage, position }) {
    const made = index.boundaries.findIndex((boundary2) => boundary2.target === position);
    const boundary = index.boundaries[made];
    return /* @__PURE__ */ a4("header", { class: "view-head", children: [
      /* @__PURE__ */ a4("h1", { tabIndex: -1, children: [
        stage.title,
        stage.branch ? /* @__PURE__ */ a4("small", { children: [
          " ",
          stage.branch
        ] }) : null
      ] }),
      /* @__PURE__ */ a4("p", { class: "question", children: stage.question }),
      /* @__PURE__ */ a4("div", { class: "columns", children: [
        stage.unavailable ? null : /* @__PURE__ */ a4("section", { children: [
          /* @__PURE__ */ a4("h2", { children: "Here" }),
          stage.label ? /* @__PURE__ */ a4("p", { children: /* @__PURE__ */ a4("bdi", { children: stage.label }) }) : null,
          stage.result.map((line) => /* @__PURE__ */ a4("p", { children: /* @__PURE__ */ a4("bdi", { children: groupedWithin(line) }) })),
          stage.kinds.length > 0 ? /* @__PURE__ */ a4("p", { children: stage.kinds.map(({ kind, count }) => counted(count, kind)).join(", ") }) : null
        ] }),
        /* @__PURE__ */ a4("section", { children: [
          /* @__PURE__ */ a4("h2", { children: "Not here" }),
          /* @__PURE__ */ a4("p", { children: stage.beyond })
        ] })
      ] }),
      stage.digest ? /* @__PURE__ */ a4("p", { class: "made", children: [
        boundary ? /* @__PURE__ */ a4("span", { children: [
          "Made by ",
          /* @__PURE__ */ a4("a", { href: address(["boundary", made]), children: boundaryTitle(boundary) }),
          ":",
          " ",
          /* @__PURE__ */ a4(Status, { word: standingOf(boundary, made) })
        ] }) : null,
        /* @__PURE__ */ a4("span", { class: "digest", children: [
          "snapshot ",
          stage.digest
        ] })
      ] }) : null
    ] });
  }
  var NAMED = 3;
  function Wrong({ position }) {
    const wrong = [...wrongIn(position)];
    const answer = useAnswer(() => wrong.length > 0 ? namesOf(position) : Promise.resolve([]), [position]);
    if (wrong.length === 0) return null;
    const names2 = answer.state === "here" ? answer.value : [];
    return /* @__PURE__ */ a4("p", { class: "wrong-here", children: [
      /* @__PURE__ */ a4("span", { children: [
        /* @__PURE__ */ a4(Icon, { word: "refuted" }),
        " ",
        /* @__PURE__ */ a4("b", { children: [
          grouped(String(wrong.length)),
          " refuted here:"
        ] })
      ] }),
      wrong.slice(0, NAMED).map((entity) => /* @__PURE__ */ a4("a", { href: address(["stage", slug(index.stages[position]), "e", entity], route.value.options), children: /* @__PURE__ */ a4("bdi", { children: names2[entity]?.[0] ?? `entity ${entity}` }) })),
      wrong.length > NAMED ? /* @__PURE__ */ a4("span", { children: [
        "and ",
        grouped(String(wrong.length - NAMED)),
        " more"
      ] }) : null
    ] });
  }
  function Tools({ stage, position }) {
    const path = ["stage", slug(stage)];
    const view = route.value.options.get("view") ?? "matrix";
    const ov = route.value.options.get("ov") ?? "";
    const to = (name) => address(path, [["view", name === "matrix" ? "" : name], ["ov", ov]]);
    return /* @__PURE__ */ a4("div", { class: "tools", children: [
      /* @__PURE__ */ a4(
        Choice,
        {
          label: "Form",
          chosen: view,
          options: [
            ["matrix", "Structure", to("matrix")],
            ["short", "Short text", to("short")],
            ["detail", "Detailed text", to("detail")]
          ]
        }
      ),
      /* @__PURE__ */ a4(OverlaySwitches, { stage: position })
    ] });
  }
  function Form2({ stage, position, shown }) {
    const view = route.value.options.get("view") ?? "matrix";
    if (view === "short") return /* @__PURE__ */ a4(TextView, { list: stage.short, stage: position, form: "Short" });
    if (view === "detail") return /* @__PURE__ */ a4(TextView, { list: stage.detail, stage: position, form: "Detailed" });
    if (view !== "matrix") return /* @__PURE__ */ a4(NotHere, { what: `form ${view}` });
    return /* @__PURE__ */ a4(Matrix, { stage: position, shown });
  }
  function Beside2(beside) {
    const { stage, position, kind, target: target2, shown } = beside;
    const options = route.value.options;
    const text = options.get("q") ?? "";
    const group = options.get("g") ?? "";
    if (kind && kind !== "e") return /* @__PURE__ */ a4(Side, { label: "Unknown", children: /* @__PURE__ */ a4(NotHere, { what: `${kind} ${target2}` }) });
    if (kind) {
      const back = address(["stage", slug(stage)], options);
      return /* @__PURE__ */ a4(Side, { label: "Entity", back: text ? [`search \u201C${text}\u201D`, back] : group ? [groupName(stage, group), back] : void 0, children: /* @__PURE__ */ a4(Inspector, { stage: position, target: target2, shown }) });
    }
    if (text) {
      return /* @__PURE__ */ a4(Side, { label: "Search", children: [
        /* @__PURE__ */ a4("h2", { tabIndex: -1, children: [
          "\u201C",
          text,
          "\u201D"
        ] }),
        /* @__PURE__ */ a4(SearchList, { stage: position, text, shown })
      ] });
    }
    if (group) {
      const at = /^\d{1,9}$/.test(group) ? Number(group) : -1;
      const row = stage.groups[at];
      return /* @__PURE__ */ a4(Side, { label: "Group", children: row ? /* @__PURE__ */ a4($, { children: [
        /* @__PURE__ */ a4("h2", { tabIndex: -1, children: /* @__PURE__ */ a4("bdi", { children: row.name }) }),
        /* @__PURE__ */ a4(GroupList, { stage: position, group: at, shown })
      ] }) : /* @__PURE__ */ a4(NotHere, { what: `group ${group}` }) });
    }
    return null;
  }
  function groupName(stage, group) {
    return stage.groups[Number(group)]?.name ?? group;
  }

  // src/main.tsx
  function Top() {
    return /* @__PURE__ */ a4("header", { class: "top", children: [
      /* @__PURE__ */ a4("a", { class: "brand", href: address([]), children: [
        "Blueprint ",
        /* @__PURE__ */ a4("span", { children: "IR Explorer" })
      ] }),
      /* @__PURE__ */ a4("span", { class: `status verdict tone-${toneOf(index.verdict)}`, children: [
        /* @__PURE__ */ a4(Icon, { word: index.verdict }),
        /* @__PURE__ */ a4("span", { children: index.verdict })
      ] }),
      /* @__PURE__ */ a4("span", { class: "digest", title: `SHA-256 of the bundle: ${index.bundle_sha256}`, children: [
        "bundle ",
        index.bundle_sha256.slice(0, 12)
      ] }),
      /* @__PURE__ */ a4(SearchBox, {}),
      /* @__PURE__ */ a4("button", { type: "button", onClick: turnTheme, children: theme.value === "dark" ? "Light" : "Dark" }),
      /* @__PURE__ */ a4("button", { type: "button", "aria-label": "Keys", onClick: () => helping.value = true, children: "?" })
    ] });
  }
  function View() {
    const [view, name = "", kind = "", target2 = ""] = route.value.path;
    switch (view) {
      case void 0:
        return /* @__PURE__ */ a4(Overview, {});
      case "stage":
        return /* @__PURE__ */ a4(StageView, { name, kind, target: target2 });
      case "boundary":
        return /* @__PURE__ */ a4(BoundaryView, { name, kind, target: target2 });
      case "evidence":
        return /* @__PURE__ */ a4(Obligations, { target: name || void 0 });
      case "search":
        return /* @__PURE__ */ a4(SearchView, {});
      default:
        return /* @__PURE__ */ a4(NoView, { what: `#/${route.value.path.join("/")}` });
    }
  }
  function Page() {
    const here = route.value.path.slice(0, 2).join("/");
    A2(() => {
      scrollTo(0, 0);
      if (document.activeElement !== document.querySelector("#search")) {
        document.querySelector("main h1")?.focus({ preventScroll: true });
      }
    }, [here]);
    return /* @__PURE__ */ a4($, { children: [
      /* @__PURE__ */ a4(Top, {}),
      /* @__PURE__ */ a4(Chain, {}),
      canInflate ? null : /* @__PURE__ */ a4(Notice, { children: "This browser cannot read the details in this page (it has no DecompressionStream). What follows is a summary." }),
      /* @__PURE__ */ a4("div", { class: "body", children: /* @__PURE__ */ a4(View, {}) }),
      /* @__PURE__ */ a4(Help, {})
    ] });
  }
  var app = document.getElementById("app");
  if (app && index) {
    Q(/* @__PURE__ */ a4(Page, {}), app);
    const plain = document.getElementById("plain");
    if (plain) plain.hidden = true;
    document.documentElement.dataset.ready = "true";
  }
})();
