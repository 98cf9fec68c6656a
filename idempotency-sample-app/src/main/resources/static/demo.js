/* The outcomes of a call in the order in which they are told: their colour, what they mean for the customer, and why. */
const OUTCOMES = {
    failed: ['bad', 'failed, not charged', 'what it had written was rolled back, so the key can be tried again'],
    failed_final: ['bad', 'refused, not charged', 'the failure was recorded as the answer for this key'],
    executed: ['good', 'charged', 'the first attempt with a key commits claim, charge and receipt together'],
    retried: ['good', 'charged', 'the attempt before had failed and left nothing, so the method ran again'],
    recovered: ['good', 'charged', 'an expired lease was taken over, and the method ran'],
    replayed: ['same', 'the same receipt, not charged again', 'every other attempt gets the stored receipt; the method does not run'],
    failure_replayed: ['same', 'the same refusal, not charged', 'every other attempt gets the recorded failure; the method does not run'],
    in_progress: ['wait', 'told to come again later, not charged', 'another attempt held the key for too long'],
    key_reused: ['bad', 'refused, not charged', 'the key belongs to another payment'],
    response_expired: ['bad', 'no receipt', 'the response is no longer stored'],
    unreadable: ['bad', 'no receipt', 'the stored response cannot be read'],
    abandoned: ['bad', 'no answer', 'the key was left as being processed'],
    lease_lost: ['bad', 'no answer', 'the lease was lost'],
    invalid_key: ['bad', 'refused, not charged', 'there was no key, or a malformed one'],
};

/* What an attempt meets that has no key: no call of the library, hence no outcome. */
const CHARGED = ['good', 'charged', 'a transaction and a lock on the account do not tell a repeat from a new payment'];
const REFUSED = ['bad', 'refused', 'the request did not get as far as the key'];
const UNANSWERED = ['bad', 'no answer', 'ask again with the same key'];

const NO_ANSWER = 'The application does not answer.';
const LOST = 'The connection was lost before all attempts were answered.';

const PAYMENT = {amountCents: 1250, attempts: 1, withKey: true, fault: 'NONE'};
const OPENING_CENTS = 24 * PAYMENT.amountCents;

/* What each button asks for that is not as in PAYMENT. */
const STEPS = {
    pay: () => ({key: lastKey = newKey()}),
    retry: () => ({key: lastKey}),
    twenty: () => ({key: lastKey = newKey(), attempts: 20}),
    other: () => ({key: lastKey, amountCents: 1350}),
    crash: () => ({key: lastKey = newKey(), fault: 'KILL'}),
};

/* The statements of a call that matter, by what they do. The claim comes in one message with what bounds its wait. */
const PARTS = {
    claim: /insert into \S*idempotency_request\b.*/,
    charge: /insert into payment\b.*/,
    receipt: /update \S*idempotency_request set status = 'succeeded'.*/,
};

const STATEMENTS = 300;

const $ = id => document.getElementById(id);

const money = new Intl.NumberFormat('en', {style: 'currency', currency: 'EUR'});
const day = new Intl.DateTimeFormat('en', {day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23'});

const form = $('form');

/* The two accounts of the story: the run of each, and what the database said of it then. What is paid later is told elsewhere. */
const sides = ['without', 'with'].map(id => ({id, accountId: '', runs: [], account: null}));
const withKey = sides[1];

/* All runs by their id, and the one that is shown. */
const runs = new Map();
let run = null;
/* What this page has asked for, by key: where to tell what happened, and the balance before. */
const asked = new Map();
let lastKey = newKey();
/* The story goes on until somebody presses a button. */
let story = Promise.resolve();
let interrupted = false;
let drawing = false;
/* The SQL of the run that is shown: how many lines, the groups by transaction, and how attempts' transactions ended. */
let statements = {count: 0, groups: new Map(), committed: 0, rolledBack: 0};

function element(name, text, attributes = {}) {
    const made = document.createElement(name);
    if (text !== undefined && text !== null) {
        made.textContent = text;
    }
    for (const [attribute, value] of Object.entries(attributes)) {
        made.setAttribute(attribute, value);
    }
    return made;
}

function plural(count, word) {
    return `${count} ${word}${count === 1 ? '' : 's'}`;
}

function cents(amount) {
    return money.format(amount / 100);
}

function milliseconds(value) {
    return value < 10 ? value.toFixed(2) : value.toFixed(0);
}

function put(id, text) {
    const target = $(id);
    if (target.textContent !== text) {
        target.textContent = text;
    }
}

/* First what it means, then why. */
function tell(place, text, kind, why = '') {
    const target = $(place);
    target.replaceChildren(element('strong', text), ...why ? [element('span', why)] : []);
    target.dataset.kind = kind;
}

function capital(text) {
    return text[0].toUpperCase() + text.slice(1);
}

/* Asking */

function newKey() {
    const random = crypto.getRandomValues(new Uint32Array(2));
    return 'order-' + Array.from(random, number => number.toString(36)).join('').slice(0, 10);
}

function post(path, body, headers = {}) {
    return fetch(path, {
        method: 'POST',
        headers: {'Content-Type': 'application/json', ...headers},
        body: JSON.stringify(body),
    });
}

async function balance(accountId) {
    const response = await fetch(`accounts/${accountId}`);
    if (!response.ok) {
        throw new Error('The account is not known any more: play the story again.');
    }
    return (await response.json()).balanceCents;
}

function known(runId) {
    if (!runs.has(runId)) {
        let end;
        const ended = new Promise(resolve => {
            end = resolve;
        });
        runs.set(runId, {runId, place: 'told-own', attempts: new Map(), ended, end});
    }
    return runs.get(runId);
}

/* Until all attempts are answered. */
async function pay(place, request) {
    tell(place, request.attempts === 1 ? 'Asking once …' : `Asking ${request.attempts} times at once …`, '');
    try {
        asked.set(request.key, {place, before: await balance(request.accountId)});
        const response = await post('demo/runs', request);
        const answer = await response.json();
        if (response.ok) {
            await known(answer.runId).ended;
        } else {
            tell(place, `The application refused: ${answer.detail ?? answer.title ?? response.status}`, 'bad');
        }
    } catch (failure) {
        tell(place, failure instanceof TypeError ? NO_ANSWER : failure.message, 'bad');
    }
}

/* The story: the same twenty requests, first without a key and then with one, each on a new account. */

async function open(side) {
    const accountId = `${side.id}-${side.id === 'with' ? 'key' : 'a-key'}-${newKey().slice(6)}`;
    const response = await post('accounts', {accountId, amountCents: OPENING_CENTS}, {'Idempotency-Key': accountId});
    if (!response.ok) {
        throw new Error(response.statusText);
    }
    $(side.id).dataset.account = accountId;
    Object.assign(side, {accountId, key: null, runs: [], account: {openedCents: OPENING_CENTS, balanceCents: OPENING_CENTS}});
    drawSide(side);
}

/* A page that was opened in the background waits until somebody looks. */
function seen() {
    return document.hidden && new Promise(resolve => document.addEventListener('visibilitychange', resolve, {once: true}));
}

async function play(shown) {
    document.body.dataset.story = 'playing';
    interrupted = false;
    try {
        await seen();
        await Promise.all(sides.map(open));
        form.elements.account.replaceChildren(...[withKey.accountId, 'alice', 'bob'].map(id => element('option', id)));
        for (const side of shown) {
            if (!interrupted) {
                const request = {...PAYMENT, ...STEPS.twenty(), accountId: side.accountId, withKey: side === withKey};
                side.key = request.key;
                await pay(`told-${side.id}`, request);
            }
        }
        document.body.dataset.story = interrupted ? 'interrupted' : 'told';
    } catch {
        tell('told-without', NO_ANSWER, 'bad');
        document.body.dataset.story = 'failed';
    }
}

/* Whoever presses a button ends the story after the run that is under way. */
async function payNext(place, request) {
    interrupted = true;
    tell(place, 'Asking …', '');
    await story;
    await pay(place, {...PAYMENT, accountId: withKey.accountId, ...request()});
}

$('again').addEventListener('click', () => {
    if (document.body.dataset.story !== 'playing') {
        story = play(sides);
    }
});

$('steps').addEventListener('click', event => {
    const step = event.target.value;
    if (step) {
        payNext(`told-${step}`, STEPS[step]);
    }
});

form.addEventListener('submit', event => {
    event.preventDefault();
    const data = new FormData(form);
    payNext('told-own', () => ({
        key: data.get('key'),
        accountId: data.get('account'),
        amountCents: Math.round(Number(data.get('amount')) * 100),
        attempts: Number(event.submitter?.value ?? 1),
        fault: data.get('fault'),
    }));
});

$('new-key').addEventListener('click', () => {
    $('key').value = newKey();
});

/* What happened */

function meaning(attempt) {
    const {outcome, status} = attempt;
    return OUTCOMES[outcome] ?? (status === 201 ? CHARGED : status ? REFUSED : UNANSWERED);
}

function isAnswered(attempt) {
    return attempt.executions !== undefined;
}

function allAttempts(side) {
    return side.runs.flatMap(({attempts}) => [...attempts.values()]);
}

/* A square for each of the last attempts: a charge, a charge too many, the same receipt, or none of these. */
function cell(attempt, charged) {
    if (!isAnswered(attempt)) {
        return element('i');
    }
    const [kind, text] = meaning(attempt);
    const again = text === 'charged' && charged.has(attempt.reference);
    if (text === 'charged') {
        charged.add(attempt.reference);
    }
    return text === 'charged' ? element('i', '€', {'data-kind': again ? 'bad' : kind})
        : kind === 'same' ? element('i', '=', {'data-kind': kind}) : element('i', '–');
}

function drawSide(side) {
    const figure = (name, text) => {
        $(side.id).querySelector(`[data-figure=${name}]`).textContent = text;
    };
    const attempts = allAttempts(side);
    const {openedCents, balanceCents, charged = {charges: 0, doubles: 0, doubledCents: 0}} = side.account;
    figure('attempts', attempts.filter(isAnswered).length);
    figure('charges', charged.charges);
    figure('doubles', charged.doubles);
    figure('before', cents(openedCents));
    figure('after', cents(balanceCents));
    $(side.id).dataset.kind = charged.doubles > 0 ? 'bad' : charged.charges > 0 ? 'good' : '';
    const payments = new Set();
    $(side.id).querySelector('.tape').replaceChildren(...attempts.map(attempt => cell(attempt, payments)).slice(-20));
    const share = amount => `${amount / openedCents * 100}%`;
    $(side.id).querySelector('.doubled').style.width = share(charged.doubledCents);
    $(side.id).querySelector('.paid').style.width = share(openedCents - balanceCents - charged.doubledCents);
}

function bar(attempt, end) {
    const space = 'http://www.w3.org/2000/svg';
    const svg = document.createElementNS(space, 'svg');
    const draw = (name, attributes) => {
        const drawn = document.createElementNS(space, name);
        Object.entries(attributes).forEach(([attribute, value]) => drawn.setAttribute(attribute, value));
        svg.append(drawn);
    };
    const at = value => `${value / end * 100}%`;
    svg.setAttribute('class', 'bar');
    svg.setAttribute('aria-hidden', 'true');
    if (isAnswered(attempt)) {
        svg.dataset.kind = meaning(attempt)[0];
        draw('rect', {x: at(attempt.sentMilliseconds), width: at(attempt.tookMilliseconds), y: 0, height: '100%', class: 'wait'});
        for (const {beganMilliseconds: began, endedMilliseconds: ended, completed} of attempt.executions) {
            draw('rect', {x: at(began), width: at(ended - began), y: 0, height: '100%', class: completed ? 'span' : 'lost'});
            if (!completed) {
                draw('text', {x: at(ended), y: '85%', 'text-anchor': 'middle'});
                svg.lastChild.textContent = '✕';
            }
        }
    }
    return svg;
}

/* At round figures, as many as there is room for. */
function drawAxis(end) {
    const room = 64 / $('axis').clientWidth * end;
    const step = [50, 100, 200, 500, 1000, 2000].find(candidate => candidate >= room) ?? 5000;
    const ticks = [];
    for (let at = 0; at + room <= end; at += step) {
        const tick = element('span', at === 0 ? '0' : `${at} ms`);
        tick.style.left = `${at / end * 100}%`;
        ticks.push(tick);
    }
    $('axis').replaceChildren(...ticks);
}

function drawAttempts() {
    if (run === null) {
        return;
    }
    const attempts = [...run.attempts.values()];
    const end = Math.max(1, ...attempts.filter(isAnswered).map(attempt => attempt.sentMilliseconds + attempt.tookMilliseconds));
    drawAxis(end);
    $('attempts').tBodies[0].replaceChildren(...attempts.map(attempt => {
        const row = element('tr');
        const answer = element('td');
        if (isAnswered(attempt)) {
            const [kind, text] = meaning(attempt);
            answer.append(element('span', text.split(',')[0].replace('the ', ''), {
                class: 'badge', 'data-kind': kind, 'data-outcome': attempt.outcome ?? ''}));
            if (attempt.repeats > 0) {
                answer.append(element('span', 'rolled back, run again', {class: 'hint'}));
            }
        } else {
            answer.append(element('span', run.lost ? 'unknown' : 'waiting', {class: 'badge'}));
        }
        const when = element('td', null, {class: 'when'});
        when.append(bar(attempt, end));
        row.append(element('td', attempt.number, {class: 'number'}), answer, element('td', attempt.status ?? ''),
            element('td', (attempt.waitedFor ?? []).map(number => `#${number}`).join(', '), {class: 'waited'}), when);
        return row;
    }));
}

function drawSoon() {
    if (!drawing) {
        drawing = true;
        requestAnimationFrame(() => {
            drawing = false;
            drawAttempts();
            sides.filter(side => side.account !== null).forEach(drawSide);
        });
    }
}

/* What happened to the attempts, what became of the balance, and why. */
async function summarize(ended) {
    const order = Object.values(OUTCOMES);
    const attempts = [...ended.attempts.values()].filter(isAnswered)
        .sort((one, other) => order.indexOf(meaning(one)) - order.indexOf(meaning(other)));
    const amount = cents(ended.request.amountCents);
    const counts = new Map();
    attempts.forEach(attempt => counts.set(meaning(attempt), (counts.get(meaning(attempt)) ?? 0) + 1));
    const told = [...counts.keys()].map(([, text]) => text === 'charged' ? `charged ${amount}` : text);
    const words = [...counts.values()].map((count, i) => attempts.length === 1 ? told[i] : `${count} × ${told[i]}`);
    const whys = [...counts.keys()].map(([, , why]) => why);
    if (attempts.some(attempt => attempt.repeats > 0)) {
        words[0] += ', once, in spite of the crash';
        whys[0] = 'the connection was lost before COMMIT, PostgreSQL rolled back, and the call ran the method again';
    }
    const titles = new Set(attempts.flatMap(attempt => attempt.title ? [`HTTP ${attempt.status} ${attempt.title}`] : []));
    const ids = new Set(attempts.flatMap(attempt => attempt.paymentId?.slice(0, 8) ?? []));
    const after = await balance(ended.request.accountId);
    const change = ended.before === after ? `still ${cents(after)}`
        : [ended.before, after].filter(Number.isFinite).map(cents).join(' → ');
    const facts = [
        ...titles,
        ...ids.size === 1 ? [`payment ${[...ids][0]}`] : [],
        // The story shows it as a picture.
        ...ended.place === `told-${ended.side?.id}` ? [] : [`balance ${change}`],
    ];
    const {doubledCents = 0} = ended.side?.account.charged ?? {};
    if (doubledCents > 0) {
        words.push(`${cents(doubledCents)} too much`);
    }
    const sentences = texts => texts.map(text => `${capital(text)}.`).join(' ');
    tell(ended.place, sentences(words), doubledCents > 0 ? 'bad' : meaning(attempts[0])[0],
        sentences([...whys, ...facts.length > 0 ? [facts.join(', ')] : []]));
    if (run === ended) {
        document.body.dataset.run = 'done';
    }
}

/* The database */

function stored(row) {
    if (row === null) {
        return 'none';
    }
    if (row.status === 'failed_retryable') {
        return `none: the next attempt runs the method. The last one failed: ${row.failure}`;
    }
    return row.status === 'succeeded' ? JSON.stringify(row.response, null, 2) : row.failure ?? 'none';
}

function drawRow(key, row) {
    put('row-key', key || '–');
    put('row-status', row?.status ?? 'none');
    put('row-expires', row === null ? '–' : day.format(new Date(row.expiresAt)));
    put('response', stored(row));
}

function drawEffects(payments, row) {
    put('effects-count', plural(payments, 'payment'));
    $('effects-count').dataset.kind = payments > 1 ? 'bad' : payments === 1 ? 'good' : '';
    put('effects', payments > 1 ? 'One order, and no key: nothing in the database says that these are repeats.'
        : payments === 0 && row?.status.startsWith('failed') ? 'Nothing stayed: what the attempt had written was rolled back.'
            : '');
}

function drawFollowing({messages, notifications, accountId, account}) {
    const sent = messages.filter(message => message.status === 'sent').length;
    put('outbox-count', messages.length === 0 ? '0 messages' : `${sent} of ${messages.length} sent`);
    $('messages').replaceChildren(...messages.map(message =>
        element('li', `${message.type}: ${message.status}${message.milliseconds === null ? '' : ` after ${message.milliseconds} ms`}`)));
    put('notified', plural(notifications, 'notification'));
    put('projections-account', accountId);
    if (account !== null) {
        const behind = account.version - Math.min(account.projectedVersion, account.countedEvents);
        put('projected', behind > 0 ? `${behind} behind` : 'up to date');
    }
}

function drawState(state) {
    drawRow(state.key, state.row);
    drawEffects(state.payments, state.row);
    drawFollowing(state);
}

/* SQL */

function clearStatements() {
    [...$('sql').tBodies].forEach(group => group.remove());
    statements = {count: 0, groups: new Map(), committed: 0, rolledBack: 0};
    put('transactions', '');
}

function by(line) {
    return line.attempt === null ? 'background' : `#${line.attempt}`;
}

function statementRow(line, text, failure) {
    const row = element('tr', null, line.succeeded ? {} : {class: 'failed'});
    const statement = element('td');
    const line1 = oneLine(text);
    const full = element('code', text, {class: 'full'});
    if (line1 === text) {
        statement.append(full);
    } else {
        const foldable = element('details');
        const summary = element('summary');
        summary.append(element('code', line1));
        foldable.append(summary, full);
        statement.append(foldable);
    }
    if (failure) {
        statement.append(' ', element('span', failure, {class: 'badge', 'data-kind': 'bad'}));
    }
    row.append(element('td', by(line)), statement);
    return row;
}

/* What stands in parentheses, columns and values, is left out. */
function shortened(text) {
    const shorter = text.replaceAll(/\([^()]*\)/g, '…');
    return shorter === text ? text : shortened(shorter);
}

/* What it does, without columns, values and what bounds its wait. */
function oneLine(text) {
    const matters = Object.values(PARTS).map(pattern => text.match(pattern)).find(Boolean)?.[0] ?? text;
    const shorter = shortened(matters).replaceAll(/\s+/g, ' ').trim();
    return text.includes('\n') || text.length > 100 ? shorter : text;
}

/* The statements that matter, of a transaction that has all of them. */
function drawParts(lines) {
    const found = Object.entries(PARTS).map(([part, pattern]) => [part, lines.map(text => text.match(pattern)).find(Boolean)]);
    if (found.every(([, match]) => match)) {
        found.forEach(([part, match]) => put(`sql-${part}`, shortened(match[0])));
    }
}

/* The driver sends BEGIN with the first statement, so it took no time of its own. */
function group(line) {
    const known = statements.groups.get(line.transaction);
    if (known) {
        return known;
    }
    const made = element('tbody');
    made.lines = [];
    if (line.transaction !== null) {
        made.className = 'transaction';
        statements.groups.set(line.transaction, made);
        const begin = statementRow({...line, succeeded: true}, 'BEGIN');
        begin.append(element('td'));
        made.append(begin);
    }
    $('sql').append(made);
    return made;
}

function addEnd(line, target) {
    const committed = line.text === 'COMMIT' && line.succeeded;
    if (committed) {
        drawParts(target.lines);
    }
    target.dataset.end = committed ? 'committed' : 'rolled-back';
    if (line.attempt !== null) {
        statements.committed += committed;
        statements.rolledBack += !committed;
        put('transactions', `Transactions of the attempts: ${statements.committed} committed, ${statements.rolledBack} rolled back.`);
    }
}

function addStatement(line) {
    const ends = line.text === 'COMMIT' || line.text === 'ROLLBACK';
    /* A transaction that is shown is shown to its end. */
    if (statements.count >= STATEMENTS && !statements.groups.has(line.transaction)) {
        return;
    }
    statements.count++;
    const target = group(line);
    const failure = line.succeeded ? null : ends ? 'no answer: the server has rolled back' : 'failed';
    const row = statementRow(line, line.text, failure);
    row.append(element('td', milliseconds(line.milliseconds), {class: 'number'}));
    target.append(row);
    target.lines.push(line.text);
    if (ends) {
        addEnd(line, target);
    }
}

/* The stream */

/* What is sent while nobody listens is not sent again. */
function lose() {
    interrupted = true;
    for (const under of runs.values()) {
        if (!under.over) {
            under.lost = under.over = true;
            tell(under.place, LOST, 'bad', 'Ask again with the same key.');
            under.end();
        }
    }
    if (document.body.dataset.run === 'running') {
        document.body.dataset.run = 'lost';
        drawSoon();
    }
}

const handlers = {
    run({runId, request}) {
        run = Object.assign(known(runId), {request, ...asked.get(request.key)});
        run.side = sides.find(side => side.accountId === request.accountId);
        if (run.place === `told-${run.side?.id}`) {
            run.side.runs.push(run);
        }
        for (let number = 1; number <= request.attempts; number++) {
            run.attempts.set(number, {number});
        }
        clearStatements();
        document.body.dataset.run = 'running';
        drawSoon();
    },
    attempt(answered) {
        const of = known(answered.runId);
        of.attempts.set(answered.number, {...answered, reference: of.request?.key});
        if (of.request?.withKey && answered.paymentId) {
            drawCurl(of.request);
        }
        drawSoon();
    },
    done({runId}) {
        const ended = known(runId);
        if (ended.request && !ended.over) {
            ended.over = true;
            summarize(ended).catch(() => tell(ended.place, NO_ANSWER, 'bad')).finally(ended.end);
        }
    },
    sql(line) {
        if (run !== null && (line.runId === null || line.runId === run.runId)) {
            addStatement(line);
        }
    },
    state(state) {
        drawState(state);
        const side = sides.find(({accountId}) => accountId === state.accountId);
        if (side && state.account && state.key === side.key) {
            side.account = state.account;
            drawSide(side);
        }
    },
};

function connect() {
    const stream = new EventSource('demo/events');
    const connection = (state, text) => {
        $('connection').dataset.state = state;
        put('connection', text);
    };
    stream.addEventListener('open', () => {
        connection('live', 'Live');
        if (!document.body.dataset.story) {
            // Who comes to a part of the page has not come for the story.
            story = play(location.hash ? [] : sides);
        }
    });
    stream.addEventListener('error', () => {
        connection('lost', 'Connection lost, trying again …');
        lose();
        if (stream.readyState === EventSource.CLOSED) {
            setTimeout(connect, 2000);
        }
    });
    // A page that is kept to come back to would keep one of the browser's six connections.
    addEventListener('pagehide', () => stream.close(), {once: true});
    for (const [event, handler] of Object.entries(handlers)) {
        stream.addEventListener(event, message => handler(JSON.parse(message.data)));
    }
}

/* In your application */

/* As a shell takes it, whatever the key consists of. */
function quoted(text) {
    return `'${text.replaceAll("'", "'\\''")}'`;
}

function drawCurl({key, accountId, amountCents}) {
    const header = `Idempotency-Key: "${key.replace(/["\\]/g, '\\$&')}"`;
    const body = JSON.stringify({accountId, amountCents, currency: 'EUR', reference: key});
    put('curl', `curl -i ${new URL('payments', location.href)} \\\n  -H ${quoted(header)} \\\n`
        + `  -H 'Content-Type: application/json' \\\n  -d ${quoted(body)}`);
}

$('copy').addEventListener('click', async () => {
    try {
        await navigator.clipboard.writeText($('curl').textContent);
        put('copied', 'Copied.');
    } catch {
        getSelection().selectAllChildren($('curl'));
        put('copied', 'Selected: copy it with the keyboard.');
    }
});

addEventListener('resize', drawSoon);
addEventListener('pageshow', event => event.persisted && connect());

$('key').value = newKey();
connect();
