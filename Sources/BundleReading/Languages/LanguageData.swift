/// The part of CLDR that matching localisations needs: scripts, regions, parents and aliases of languages.
///
/// The tables contain **CLDR 46.0** (supplemental data: likelySubtags, parentLocales, languageAlias), as included in
/// ICU 76 in the Swift 6.3 toolchain, reduced to the languages that have a two-letter code or a separate locale there.
/// © Unicode, Inc., used under the Unicode License v3. The regions of British English are not from CLDR but from
/// Apple's bundles.
///
/// **Cost.** See ``CodeTable``.
package enum LanguageData {
    /// The script of each language that is not written in Latin script.
    package static let scripts: CodeTable = """
        Arab=ar,ckb,fa,ks,lrc,mzn,ps,sd,ug,ur Armn=hy Avst=ae Beng=as,bn,mni Cakm=ccp Cans=cr,csw,iu,oj Cher=chr
        Cyrl=ab,av,ba,be,bg,ce,cu,cv,inh,kk,kv,ky,mk,mn,myv,os,ru,sah,sjd,sr,tg,tt,uk
        Deva=bgc,bho,brx,doi,hi,kok,mai,mr,ne,raj,sa,xnr Ethi=am,byn,gez,ti,tig,wal Geor=ka Grek=el Gujr=gu Guru=pa
        Hans=zh Hant=yue Hebr=he,yi Hmng=hmn Jpan=ja Kana=ain Khmr=km Knda=kn Kore=ko Laoo=lo Mand=mid Mlym=ml Mymr=my
        Nkoo=nqo Olck=sat Orya=or Osge=osa Rohg=rhg Sinh=pi,si Syrc=syr Taml=ta Telu=te Tfng=ber,shi,zgh Thaa=dv Thai=th
        Tibt=bo,dz Vaii=vai Wcho=nnp Yiii=ii
        """

    /// The script of a language in a region that writes it in an unusual script, by "language-region".
    package static let regionalScripts: CodeTable = """
        az-IQ=Arab az-IR=Arab az-RU=Cyrl ha-CM=Arab ha-SD=Arab kk-AF=Arab kk-CN=Arab kk-IR=Arab kk-MN=Arab ku-LB=Arab
        ky-CN=Arab ky-TR=Latn mn-CN=Mong ms-CC=Arab pa-PK=Arab sd-IN=Deva sr-ME=Latn sr-RO=Latn sr-RU=Latn sr-TR=Latn
        tg-PK=Arab ug-KZ=Cyrl ug-MN=Cyrl uz-AF=Arab uz-CN=Cyrl yue-CN=Hans zh-AU=Hant zh-BN=Hant zh-GB=Hant zh-GF=Hant
        zh-HK=Hant zh-ID=Hant zh-MO=Hant zh-PA=Hant zh-PF=Hant zh-PH=Hant zh-SR=Hant zh-TH=Hant zh-TW=Hant zh-VN=Hant
        """

    /// The usual region of a language.
    package static let regions: CodeTable = """
        001=eo,ia,io,jbo,tok,vo AF=ps AL=sq AM=hy AZ=az BA=bs BD=bn,ccp BE=wa BG=bg BI=rn BJ=blo BO=ay BR=kgp,pt,yrl
        BT=dz BY=be CA=cr,csw,iu,mic,moh,oj,pqm CD=kg,ln,lu CF=sg CH=gsw,rm,wae CL=arn
        CM=agq,bas,dua,ewo,jgo,kkj,ksf,mgo,mua,nmg,nnh,yav CN=bo,hmn,ii,ug,za,zh CV=kea CZ=cs DE=de,dsb,hsb,ksh,nds
        DK=da DZ=kab EE=et,ie EG=ar ER=byn,tig ES=an,ast,ca,es,eu,gl ET=aa,am,gez,om,ti,wal FI=fi,smn FJ=fj FO=fo
        FR=br,co,fr,oc GB=cy,gd,kw GE=ab,ka,os GH=ak,ee,gaa GL=kl GN=nqo GR=el GU=ch HK=yue HR=hr HT=ht HU=hu
        ID=id,jv,rej,su IE=ga IL=he IM=gv IN=as,bgc,bho,brx,doi,gu,hi,kn,kok,ks,kxv,mai,ml,mni,mr,nnp,or,pa,pi,raj,sa
        IN=sat,ta,te,xnr IQ=ckb,mid,syr IR=ae,fa,lrc,mzn IS=is IT=fur,it,lij,lmo,sc,scn,vec JP=ain,ja
        KE=dav,ebu,guz,kam,ki,kln,luo,luy,mas,mer,saq KG=ky KH=km KR=ko KZ=kk LA=lo LK=si LR=kpe,vai LT=lt LU=lb LV=lv
        MA=ber,shi,tzm,zgh MG=mg MH=mh MK=mk ML=bm,khq,ses MM=my,rhg MN=mn MT=mt MU=mfe MV=dv MW=ny MY=ms MZ=mgh,seh,vmw
        NA=hz,kj,naq,ng NE=dje,twq NG=ha,ig,kaj,kcg,kr,pcm,yo NL=fy,li,nl NO=nb,nn,no,se NP=ne NR=na NZ=mi PE=qu PF=ty
        PG=ho PH=ceb,fil PK=sd,ur PL=pl,prg,szl PY=gn RO=ro RS=sr RU=av,ba,ce,cu,cv,inh,kv,myv,ru,sah,sjd,tt RW=rw
        SE=sje,sju,sv SI=sl SK=sk SN=dyo,ff,wo SO=so SS=nus TH=th TJ=tg TM=tk TO=to TR=ku,tr TW=trv
        TZ=asa,bez,jmc,kde,ksb,lag,rof,rwk,sbp,sw,vun UA=uk,yi UG=cgg,lg,nyn,teo,xog
        US=apw,cho,chr,cic,en,haw,ik,lkt,lut,mus,nv,osa UZ=uz VA=la VN=vi VU=bi WS=sm ZA=af,nr,nso,ss,st,tn,ts,ve,xh,zu
        ZM=bem ZW=nd,sn
        """

    /// The usual region of a language in an unusual script, by "language-Script".
    package static let scriptRegions: CodeTable = """
        az-Arab=IR ff-Adlm=GN kk-Arab=CN ku-Arab=IQ ky-Latn=TR ky-Arab=CN mn-Mong=CN pa-Arab=PK sd-Deva=IN tg-Arab=PK
        ug-Cyrl=KZ uz-Arab=AF yue-Hans=CN zh-Hant=TW
        """

    /// The current tag for a code that is out of use (`iw`) or has three letters unnecessarily (`deu`).
    package static func alias(of language: String) -> String? {
        switch language.utf8.count {
        case 2: replacement(ofCode: language)
        case 3: longCodes.key(of: language)
        default: code(ofName: language)
        }
    }

    /// A switch instead of a table, because every localisation is looked up here and nearly none has such a code.
    private static func replacement(ofCode code: String) -> String? {
        switch code {
        case "bh": "bho"
        case "in": "id"
        case "iw": "he"
        case "ji": "yi"
        case "jw": "jv"
        case "mo": "ro"
        case "sh": "sr-Latn"
        case "tl": "fil"
        case "tw": "ak"
        default: nil
        }
    }

    private static let longCodes: CodeTable = """
        aa=aar ab=abk ae=ave af=afr ak=aka,fat,twi am=amh an=arg ar=ara,arb as=asm av=ava ay=aym,ayr az=aze,azj ba=bak
        be=bel bg=bul bho=bih bi=bis bm=bam bn=ben bo=bod,tib br=bre bs=bos ca=cat ce=che ch=cha co=cos cr=cre,cwd
        cs=ces,cze cu=chu cv=chv cy=cym,wel da=dan de=deu,ger doi=dgo dv=div dz=adp,dzo ee=ewe el=ell,gre en=eng eo=epo
        es=spa et=ekk,est eu=baq,eus fa=fas,per,pes fa-AF=drw,prs,tnf ff=fuc,ful fi=fin fil=tgl fj=fij fo=fao fr=fra,fre
        fy=fry ga=gle gd=gla gl=glg gn=grn,gug gu=guj,prp gv=glv ha=hau he=heb hi=hin hmn=hea ho=hmo hr=hrv,scr ht=hat
        hu=hun hy=arm,hye hz=her ia=ina id=ind ie=ile ig=ibo ii=iii ik=esk,ipk io=ido is=ice,isl it=ita iu=ike,iku
        ja=jpn jv=jav ka=geo,kat kg=kng,kon ki=kik kj=kua kk=kaz kl=kal kln=spy km=khm kn=kan ko=kor kok=gom kpe=xpe
        kr=kau,knc ks=kas ku=kmr,kur kv=kom,kpv kw=cor ky=kir la=lat lb=ltz lg=lug li=lim ln=lin lo=lao lt=lit lu=lub
        luy=bxk lv=lav,lvs mg=mlg,plt mh=mah mi=mao,mri mk=mac,mkd ml=mal mn=drh,khk,mon mr=mar ms=may,msa,zsm mt=mlt
        my=bur,mya na=nau nb=nob nd=nde ne=nep,npi ng=ndo nl=dut,nld nn=nno no=nor nr=nbl nv=nav ny=nya oc=oci
        oj=ojg,oji om=gaz,orm or=ori,ory os=oss pa=pan pi=pli pl=pol ps=pbu,pus pt=por qu=que,quz raj=mup rm=roh rn=run
        ro=mol,ron,rum ru=rus rw=kin sa=san sc=src,srd sd=snd se=sme sg=sag si=sin sk=slk,slo sl=slv sm=smo sn=sna
        so=som sq=alb,als,sqi sr=scc,srp sr-Latn=hbs sr-ME=cnr ss=ssw st=sot su=sun sv=swe sw=swa,swh sw-CD=swc syr=cld
        ta=tam te=tel tg=tgk th=tha ti=tir tk=tuk tn=tsn to=ton tr=tur ts=tso tt=tat ty=tah ug=uig uk=ukr ur=urd
        uz=uzb,uzn ve=ven vi=vie vo=vol wa=wln wo=wol xh=xho yi=ydd,yid yo=yor za=zha,zyb zh=chi,cmn,zho zu=zul
        """

    // MARK: Parents

    /// The parent of a tag; nil if the parent is simply the language in its script.
    ///
    /// `tag`: must be canonical.
    package static func parent(of tag: LanguageTag) -> String? {
        switch (tag.language, tag.script, tag.region) {
        case ("en", nil, let region?): englishParents.key(of: region)
        case ("es", nil, let region?): spanishParents.key(of: region)
        case ("pt", nil, let region?): portugueseParents.key(of: region)
        case ("zh", "Hant", "MO"): "zh-Hant-HK"
        case ("hi", "Latn", nil): "en-IN"
        case ("ht", nil, nil): "fr-HT"
        case ("nb", nil, nil), ("nn", nil, nil): "no"
        // Cantonese and Wu usually have no localisations; their readers read written Chinese.
        case ("yue", nil, nil): "zh-Hant-HK"
        case ("yue", "Hans", nil), ("wuu", nil, nil): "zh"
        default: nil
        }
    }

    /// The parents of regional English, by region.
    ///
    /// CLDR treats every English outside of the Americas as a child of en-001 or en-150. Its matching data
    /// (languageMatching, the rule for `en` outside of `$enUS`) and Apple's bundles go further, and so does this table:
    /// readers of regions that follow British usage get the British localisation before the American one.
    package static let englishParents: CodeTable = """
        en-001=AF,AM,AO,AR,AW,AX,AZ,BF,BH,BJ,BL,BO,BQ,BR,CD,CF,CG,CI,CM,CR,CU,CV,DO,DZ,EC,EG,EH,ER,ET,FM,GA,GB,GF,GN,GP
        en-001=GQ,GT,HN,HT,IC,ID,IL,IQ,JO,KG,KH,KM,KW,KZ,LA,LB,LR,LY,MA,MF,MG,ML,MM,MN,MQ,MR,MZ,NC,NE,NI,NP,OM,PE,PF,PM
        en-001=PS,PW,QA,RE,RW,SJ,SM,SN,SO,ST,SV,SX,SY,TD,TF,TG,TH,TJ,TK,TL,TM,TN,UY,UZ,VE,VN,WF,YE,YT
        en-150=AD,AL,AT,BA,BE,BG,BY,CH,CZ,DE,DK,EE,ES,FI,FO,FR,GE,GL,GR,HR,HU,IS,IT,LI,LT,LU,LV,MC,MD,ME,MK,NL,NO,PL
        en-150=PT,RO,RS,RU,SE,SI,SK,UA,VA
        en-AU=CC,CK,CX,NF,NR,NU,NZ,PG,WS
        en-GB=150,AG,AI,AU,BB,BD,BM,BN,BS,BW,BZ,CY,DG,DM,FJ,FK,GD,GG,GH,GI,GM,GY,HK,IE,IM,IN,IO,JE,JM,KE,KI,KN,KY,LC,LK,LS
        en-GB=MO,MS,MT,MU,MV,MW,MY,NA,NG,PK,PN,SB,SC,SD,SG,SH,SL,SS,SZ,TC,TO,TT,TV,TZ,UG,VC,VG,VU,ZA,ZM,ZW
        """

    /// The parents of regional Spanish, by region.
    package static let spanishParents: CodeTable = """
        es-419=AG,AI,AR,AW,BB,BL,BM,BO,BQ,BR,BS,BZ,CA,CL,CO,CR,CU,CW,DM,DO,EC,FK,GD,GF,GL,GP,GT,GY,HN,HT,JP,KN,KY,LC,MF
        es-419=MQ,MS,MX,NI,PA,PE,PM,PR,PY,SR,SV,SX,TC,TT,US,UY,VC,VE,VG,VI
        """

    /// The parents of regional Portuguese, by region.
    package static let portugueseParents: CodeTable = """
        pt-PT=AO,CH,CV,FR,GQ,GW,LU,MO,MZ,ST,TL
        """
}
